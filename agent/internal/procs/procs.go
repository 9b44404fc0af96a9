package procs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// All lists the pids of all processes, kernel threads included.
func All() ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// initPIDNamespace is the inode of the first namespace of process ids (include/linux/proc_ns.h, PROC_PID_INIT_INO).
const initPIDNamespace = "pid:[4026531836]"

// InHostPIDNamespace reports whether this process sees the same pids as BPF programs do.
func InHostPIDNamespace() bool {
	ns, err := os.Readlink("/proc/self/ns/pid")
	return err != nil || ns == initPIDNamespace
}

// Executable returns the path of a process's executable as the process sees it. The error is fs.ErrNotExist for a
// process that is gone and for a kernel thread.
func Executable(pid int) (string, error) {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return strings.TrimSuffix(path, " (deleted)"), err
}

// CommandLine returns the arguments of a process joined by spaces. It is empty for a kernel thread and for a process
// that is gone.
func CommandLine(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.TrimSpace(string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
}

// Arguments returns the arguments of a process, its own name first. There are none for a kernel thread and for a
// process that is gone.
func Arguments(pid int) []string { return zeroTerminated(pid, "cmdline") }

// Variable returns a variable of the environment that a process was started with. It is empty if there is none.
func Variable(pid int, name string) string {
	for _, e := range zeroTerminated(pid, "environ") {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// zeroTerminated splits a file of /proc/PID into strings that each end with a zero byte.
func zeroTerminated(pid int, file string) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	return splitZeros(b)
}

func splitZeros(b []byte) []string {
	s := strings.TrimSuffix(string(b), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

// Ended reports whether a process is gone or a zombie.
func Ended(pid int) bool {
	state, _ := status(pid)
	return state == "" || state == "Z" || state == "X"
}

// Parent returns the parent of a process, or 0 if it has none or is gone.
func Parent(pid int) int {
	_, parent := status(pid)
	return parent
}

// status reads the state and the parent of a process. They are empty if it is gone.
func status(pid int) (state string, parent int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	// the name, in parentheses, may hold anything
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

// DescendsFrom reports whether a process is ancestor or descends from it.
func DescendsFrom(pid, ancestor int) bool {
	for range 64 {
		if pid == ancestor {
			return true
		}
		if pid = Parent(pid); pid <= 1 {
			return false
		}
	}
	return false
}

// Root returns the path from here to the root directory of a process, in the process's mount namespace.
func Root(pid int) string { return fmt.Sprintf("/proc/%d/root", pid) }

// Path returns the path from here to a file that a process has mapped.
func Path(pid int, m Mapping) string {
	return filepath.Join(Root(pid), strings.TrimSuffix(m.Path, " (deleted)"))
}
