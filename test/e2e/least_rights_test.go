package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
)

// What verbs of which process need, by docs/troubleshooting.md#permissions.
var (
	ofOwn     = []string{"CAP_BPF", "CAP_PERFMON"}
	ofAnother = []string{"CAP_BPF", "CAP_PERFMON", "CAP_SYS_PTRACE", "CAP_DAC_READ_SEARCH"}
)

// TestLeastRights: record, contexts and doctor need the capabilities that the documents name, and no other. Without any
// one of them they fail, and name it.
func TestLeastRights(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	const code = "const app = new (require('async_hooks').AsyncLocalStorage)(); " +
		"app.run({ tenant: 'acme' }, () => { for (;;) fs.statSync('/') })"
	u := users(t, code)
	for _, verb := range []struct {
		args []string
		does string // what it prints where it has all
	}{
		{[]string{"record", "-d", "1s", "-o", "out.jsonl"}, "= "},
		{[]string{"contexts", "-d", "500ms"}, `tenant                           "acme"`},
		{[]string{"doctor"}, "of them in the running process"},
	} {
		t.Run(verb.args[0], func(t *testing.T) {
			for whose, c := range map[string]struct {
				pid  int
				need []string
			}{
				"own":       {u.own(t, code), needOfOwn()},
				"another's": {u.pid, ofAnother},
			} {
				args := append(slices.Clone(verb.args), "-p", fmt.Sprint(c.pid))
				if said, err := u.with(t, c.need, args...); err != nil || !strings.Contains(said, verb.does) {
					t.Errorf("%s: %v: %s", whose, err, said)
				}
				for _, without := range c.need {
					less := slices.DeleteFunc(slices.Clone(c.need), func(n string) bool { return n == without })
					said, err := u.with(t, less, args...)
					if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 ||
						!names(said, without) {
						t.Errorf("%s, without %s: %v: %s", whose, without, err, said)
					}
				}
			}
		})
	}
}

// needOfOwn is ofOwn, and what Yama asks for where it is on.
func needOfOwn() []string {
	if scope, _ := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); len(scope) > 0 && scope[0] != '0' {
		return append(slices.Clone(ofOwn), "CAP_SYS_PTRACE")
	}
	return ofOwn
}

// names reports whether hotspan says that a capability is missing: in a message, or as a finding of doctor.
func names(said, capability string) bool {
	return slices.ContainsFunc(strings.Split(said, "\n"), func(line string) bool {
		return strings.Contains(line, capability) && !strings.HasPrefix(line, "  ok ")
	})
}

// own starts the service as the user that hotspan has, from a binary that everybody may read.
func (u *twoUsers) own(t *testing.T, code string) (pid int) {
	t.Helper()
	node := filepath.Join(filepath.Dir(u.hotspan), "node")
	if err := copyFile(node, node24(t)); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	c := exec.Command(node, "-e", code)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: agentUser, Gid: agentUser}}
	c.Dir, c.Env = u.state, []string{"HOME=" + u.state}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return c.Process.Pid
}

// with runs hotspan with some capabilities, and returns what it prints.
func (u *twoUsers) with(t *testing.T, capabilities []string, args ...string) (string, error) {
	t.Helper()
	c := exec.Command(u.hotspan, args...)
	c.SysProcAttr, c.Dir = asAgent(capabilities), u.state
	c.Env = []string{"XDG_CACHE_HOME=" + filepath.Join(u.state, "cache")}
	out, err := c.CombinedOutput()
	return string(out), err
}
