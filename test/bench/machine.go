package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// machine says in a sentence or two where the figures are from, and what else the machine does.
func (b *bench) machine() string {
	var u unix.Utsname
	unix.Uname(&u)
	node, _ := exec.Command(b.node, "--version").Output()
	load, _ := os.ReadFile("/proc/loadavg")
	release, _, _ := strings.Cut(unix.ByteSliceToString(u.Release[:]), "-")
	text := fmt.Sprintf("%d CPUs (%s), Linux %s, Node.js %s. The load average was %s.", runtime.NumCPU(), processor(),
		release, strings.TrimSpace(string(node)),
		strings.Join(strings.Fields(string(load))[:3], ", "))
	if interruptsApart() {
		text += " This kernel counts the time of interrupts apart, so the service's CPU time is without sampling."
	}
	return text
}

func processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range bytes.Lines(b) {
		if name, ok := strings.CutPrefix(string(line), "model name"); ok {
			return strings.Trim(name, "\t :\n")
		}
	}
	return runtime.GOARCH
}

// interruptsApart reports whether the kernel takes the time of interrupts off that of the interrupted process
// (CONFIG_IRQ_TIME_ACCOUNTING): only then the sixth time of /proc/stat, that of interrupts, is not zero.
func interruptsApart() bool {
	b, _ := os.ReadFile("/proc/stat")
	fields := strings.Fields(string(b))
	return len(fields) > 6 && fields[6] != "0"
}
