package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestSeccomp: where a filter refuses a system call that hotspan needs, record fails and says so, and doctor does.
func TestSeccomp(t *testing.T) {
	t.Parallel()
	c, said := startNode(t, node24(t), "-e", "console.log('ready'); for (;;);")
	awaitText(t, said, "ready")
	for _, refused := range []struct {
		name  string
		call  int
		errno unix.Errno
	}{
		{"bpf", unix.SYS_BPF, unix.EPERM},
		{"bpf unknown", unix.SYS_BPF, unix.ENOSYS},
		{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, unix.ENOSYS},
		{"process_vm_readv", unix.SYS_PROCESS_VM_READV, unix.EPERM},
		{"process_vm_readv unknown", unix.SYS_PROCESS_VM_READV, unix.ENOSYS},
	} {
		for verb, want := range map[string]string{
			"record -d 1s -o " + t.TempDir() + "/out.otlp": "\nhotspan runs under a seccomp filter",
			"doctor": " hotspan runs under a seccomp filter",
		} {
			args := append([]string{hotspan}, strings.Fields(verb)...)
			cmd := exec.Command("/proc/self/exe", append(args, "-p", strconv.Itoa(c.Process.Pid))...)
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", refuse, refused.call, refused.errno))
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%s: %s: %v\n%s", refused.name, verb, err, out)
			}
		}
	}
}

// refuse is the variable of the environment that has this test program run a command under a seccomp filter: the
// number of the system call that is refused, and the error.
const refuse = "REFUSE_SYSTEM_CALL"

// refuseCall runs the command under a filter, if it is to. The thread that gets the filter runs the command.
func refuseCall() {
	var call, with uint32
	if n, _ := fmt.Sscan(os.Getenv(refuse), &call, &with); n < 2 {
		return
	}
	runtime.LockOSThread()
	const number = 0 // in struct seccomp_data
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: call},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | with},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		panic(errno)
	}
	panic(syscall.Exec(os.Args[1], os.Args[1:], os.Environ()))
}
