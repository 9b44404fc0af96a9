package procs

import (
	"os"
	"strings"
)

// StatusField returns the words behind a key of a /proc/PID/status. ok is false if the key is missing.
func StatusField(status []byte, key string) (words []string, ok bool) {
	for line := range strings.Lines(string(status)) {
		if value, is := strings.CutPrefix(line, key+":"); is {
			return strings.Fields(value), true
		}
	}
	return nil, false
}

// SeccompAdvice says what such a filter must allow, behind who runs under it.
const SeccompAdvice = "a seccomp filter, as in a container, which must allow bpf(2), perf_event_open(2) and " +
	"process_vm_readv(2)"

// Filtered reports whether a seccomp filter looks at the system calls of this process. (proc_pid_status(5), Seccomp)
func Filtered() bool {
	status, _ := os.ReadFile("/proc/self/status") // without it, none is known
	mode, _ := StatusField(status, "Seccomp")
	return len(mode) > 0 && mode[0] == "2"
}
