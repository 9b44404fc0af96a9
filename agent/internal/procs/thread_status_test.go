package procs

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// vforks is set where the test binary is to wait for a child that does not call execve.
const vforks = "PROCS_TEST_VFORKS"

// vfork never returns. The child, on the stack of its parent, which waits for it, waits for a signal.
func vfork() {
	runtime.LockOSThread()
	unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0)
	child, _, _ := unix.RawSyscall(unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_VFORK, 0, 0)
	for child == 0 {
		unix.RawSyscall(unix.SYS_PPOLL, 0, 0, 0)
	}
}

// TestVfork: a thread whose child has not called execve yet waits for that, not for a device, as the kernel says.
func TestVfork(t *testing.T) {
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), vforks+"=1")
	c.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Kill(-c.Process.Pid, unix.SIGKILL) // the child is in its group
		c.Wait()
	})
	var all []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		all = nil
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", c.Process.Pid))
		for _, task := range tasks {
			tid, _ := strconv.Atoi(task.Name())
			all = append(all, ThreadStatus(c.Process.Pid, tid))
		}
		if strings.Contains(strings.Join(all, ", "), "waiting for a child to call execve (vfork)") {
			return
		}
	}
	t.Error(all)
}
