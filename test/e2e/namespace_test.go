package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPIDNamespace: in a PID namespace other than the host's, doctor says that nothing can be sampled, and where to run
// hotspan; and record refuses in the same words.
func TestPIDNamespace(t *testing.T) {
	for _, args := range [][]string{{"doctor"}, {"record", "-a", "-d", "1s"}} {
		c := exec.Command("unshare", append([]string{"--pid", "--fork", "--mount-proc", hotspan}, args...)...)
		c.Dir = t.TempDir()
		out, err := c.CombinedOutput()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
			t.Errorf("%q: %v", args, err)
		}
		if !strings.Contains(string(out), "process ids here are not the kernel's") ||
			!strings.Contains(string(out), "the host's PID namespace") {
			t.Errorf("%q: %s", args, out)
		}
	}
}
