package procs

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// ControlGroup returns the control groups of a process, a line each: /proc/PID/cgroup.
func ControlGroup(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	return string(b)
}

// A container's group is called by its id: 64 hexadecimal digits, or in Amazon's Fargate 32 with a number.
var containerID = regexp.MustCompile(`(?:^|[^0-9a-f])([0-9a-f]{64}|[0-9a-f]{32}-[0-9]{1,20})(?:[^0-9a-f]|$)`)

// ContainerID returns the id of the container in the control groups of a process; empty if there is none.
func ContainerID(groups string) string {
	for line := range strings.Lines(groups) {
		if m := containerID.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			return m[1]
		}
	}
	return ""
}

// The group of a pod is called pod and its UID, which systemd's driver writes with underscores.
var podUID = regexp.MustCompile(
	`[/-]pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})(?:[/.]|$)`)

// PodUID returns the UID of the Kubernetes pod in the control groups of a process; empty if there is none.
func PodUID(groups string) string {
	if m := podUID.FindStringSubmatch(groups); m != nil {
		return strings.ReplaceAll(m[1], "_", "-")
	}
	return ""
}
