package procs

import (
	"path"
	"regexp"
	"strings"
)

// ControlGroup returns the control groups of a process, a line each: /proc/PID/cgroup.
func ControlGroup(pid int) string {
	return string(readStart(pid, "cgroup", maxGroups))
}

// CheckGroupPattern returns an error if InControlGroup can match nothing by a pattern.
func CheckGroupPattern(pattern string) error {
	if strings.Trim(pattern, "/") == "" {
		return path.ErrBadPattern
	}
	_, err := path.Match(pattern, "")
	return err
}

// InControlGroup reports whether a process with these control groups is in one that matches a pattern, or in a group
// below such a one. A pattern that begins with a slash is a path from the root, any other the end of one. Each part of
// it between slashes is a pattern of path.Match for one part of the path.
func InControlGroup(groups, pattern string) bool {
	fromRoot := strings.HasPrefix(pattern, "/")
	parts := splitGroup(pattern)
	for line := range strings.Lines(groups) {
		_, line, _ = strings.Cut(line, ":") // number:controllers:path, and the path may have colons
		_, group, _ := strings.Cut(line, ":")
		group = strings.TrimSuffix(strings.TrimSuffix(group, "\n"), " (deleted)")
		for names := splitGroup(group); len(names) >= len(parts); names = names[1:] {
			if beginsWith(names, parts) {
				return true
			}
			if fromRoot {
				break
			}
		}
	}
	return false
}

// splitGroup returns the names in a path; none for the root.
func splitGroup(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

func beginsWith(names, patterns []string) bool {
	for i, p := range patterns {
		if ok, err := path.Match(p, names[i]); !ok || err != nil {
			return false
		}
	}
	return true
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
