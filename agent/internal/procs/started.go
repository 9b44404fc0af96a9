package procs

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// A process decides itself which of its memory the kernel shows as its arguments and environment (prctl(2),
// PR_SET_MM_MAP): any amount. That much of each is read.
const (
	maxArguments   = 128 << 10
	maxEnvironment = 1 << 20
	maxGroups      = 64 << 10 // the kernel bounds these: a path for each hierarchy
	maxAuxiliary   = 4 << 10  // and these: pairs of words, some twenty
)

// readStart returns at most limit bytes of a file of /proc/PID. There are none for a process that is gone.
func readStart(pid int, file string, limit int64) []byte {
	f, err := openProc(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, limit))
	return b
}

// readMemory is readStart of a file that the kernel reads from the memory of the process, which that may lock for as
// long as it likes: there is nothing then.
func readMemory(pid int, file string, limit int64) []byte {
	read := func() ([]byte, error) { return readStart(pid, file, limit), nil }
	b, _ := within(accountFor(pid), read, func([]byte) {})
	return b
}

// Auxiliary returns the auxiliary vector of a process's program, with addresses that are others after each execve:
// https://docs.kernel.org/filesystems/proc.html. It is empty for a process that is gone.
func Auxiliary(pid int) string { return string(readStart(pid, "auxv", maxAuxiliary)) }

// CommandLine returns the arguments of a process joined by spaces. It is empty for a kernel thread, for a process that
// is gone, and for one whose memory does not come in time.
func CommandLine(pid int) string {
	b := readMemory(pid, "cmdline", maxArguments)
	return strings.TrimSpace(string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
}

// Arguments returns the arguments of a process, its own name first. There are none for a kernel thread, for a
// process that is gone, and for one whose memory does not come in time.
func Arguments(pid int) []string { return splitZeros(readMemory(pid, "cmdline", maxArguments)) }

func splitZeros(b []byte) []string {
	s := strings.TrimRight(string(b), "\x00") // behind a title that a process has given itself there are many
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

// Environment is the environment that a process was started with: the first MiB of it, as the kernel shows it.
type Environment []byte

// EnvironmentOf reads the environment of a process. It is empty for a kernel thread, for a process that is gone, for
// one that hotspan has no right to read, and for one whose memory does not come in time. A variable that is cut by the
// limit is not in it.
func EnvironmentOf(pid int) Environment {
	b := readMemory(pid, "environ", maxEnvironment)
	if len(b) == maxEnvironment {
		b = b[:bytes.LastIndexByte(b, 0)+1]
	}
	return b
}

// Lookup returns a variable, and whether there is one of that name. Of several the first counts, as for getenv(3).
func (e Environment) Lookup(name string) (value string, ok bool) {
	for len(e) > 0 {
		variable, rest, _ := bytes.Cut(e, []byte{0})
		if key, value, is := bytes.Cut(variable, []byte{'='}); is && string(key) == name {
			return string(value), true
		}
		e = rest
	}
	return "", false
}

// Variable returns a variable. It is empty if there is none.
func (e Environment) Variable(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// Variable returns a variable of the environment that a process was started with. It is empty if there is none.
func Variable(pid int, name string) string { return EnvironmentOf(pid).Variable(name) }
