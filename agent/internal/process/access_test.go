package process

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/elffile"
)

// deniedOf names the process that a run of this test is to read, and to say what keeps it from that.
const deniedOf = "HOTSPAN_TEST_DENIED_OF"

// TestDenied: only who lacks a capability is told to become root. Root of another user namespace has it, and is told
// that the kernel refuses it all the same.
func TestDenied(t *testing.T) {
	if pid, err := strconv.Atoi(os.Getenv(deniedOf)); err == nil {
		_, err := Open(pid, elffile.NewLayoutCache())
		t.Log(err)
		return
	}
	if os.Getuid() != 0 {
		t.Fatal("it takes root to become another user")
	}
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	const become, refused = "run hotspan as root", "the kernel refuses it even to CAP_SYS_PTRACE"
	ids := []syscall.SysProcIDMap{{Size: 1}}
	for _, tt := range []struct {
		as           string
		attributes   syscall.SysProcAttr
		want, refuse string
	}{
		{"another user", syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}, become, refused},
		{"root of another user namespace", syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids,
			GidMappings: ids}, refused, become},
	} {
		again := exec.Command("/proc/self/exe", "-test.run=^TestDenied$", "-test.v")
		again.Env = append(os.Environ(), deniedOf+"="+strconv.Itoa(c.Process.Pid))
		again.Dir, again.SysProcAttr = "/", &tt.attributes
		said, err := again.CombinedOutput()
		if err != nil || !strings.Contains(string(said), tt.want) || strings.Contains(string(said), tt.refuse) {
			t.Errorf("%s: %v: %s, want %q", tt.as, err, said, tt.want)
		}
	}
}
