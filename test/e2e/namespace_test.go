package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// TestHiddenProcesses: where /proc shows a user none but their own processes, no command says that there are no others.
func TestHiddenProcesses(t *testing.T) {
	copied := readable(t, hotspan)
	out := filepath.Join(filepath.Dir(copied), "none.jsonl")
	if err := os.Chmod(filepath.Dir(copied), 0o777); err != nil {
		t.Fatal(err)
	}
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	pid := fmt.Sprint(other.Process.Pid)
	for _, c := range []struct{ caps, args, want string }{
		{"+bpf,+perfmon", "doctor", "processes of other users: /proc does not show them (hidepid)"},
		{"+bpf,+perfmon", "record -a -d 1s -o " + out, "not profiled: /proc hides them (hidepid): run hotspan as root"},
		{"+bpf,+perfmon", "dump -p " + pid, "which hides those of other users (hidepid): run hotspan as root"},
		{"+bpf,+perfmon", "probes -p " + pid, "which hides those of other users (hidepid): run hotspan as root"},
		{"+bpf,+perfmon,+sys_ptrace", "dump -p " + pid, ": not a Node.js process"},
	} {
		hide := `mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups ` +
			`--inh-caps "$0" --ambient-caps "$0" "$@"`
		said, err := exec.Command("unshare", append([]string{"--mount", "sh", "-c", hide, c.caps, copied},
			strings.Fields(c.args)...)...).CombinedOutput()
		if !strings.Contains(string(said), c.want) {
			t.Errorf("%s %s: %v, %s, want %q", c.caps, c.args, err, said, c.want)
		}
	}
}
