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

// TestContextsInPIDNamespace: contexts finds the threads of a process by the ids that they have where it runs.
func TestContextsInPIDNamespace(t *testing.T) {
	c := exec.Command("unshare", "--pid", "--fork", "--mount-proc", node24(t), "-e", `
		const { execFileSync } = require('child_process');
		process.stdout.write(execFileSync(process.argv[1], ['contexts', '-p', process.pid, '-d', '10ms']));`, hotspan)
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\nthread 1 MainThread: looked at") {
		t.Errorf("%v: %s", err, out)
	}
}
