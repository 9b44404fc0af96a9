package e2e

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// capabilities are those that the unit of docs/troubleshooting.md may have.
var capabilities = map[string]uintptr{
	"CAP_BPF": unix.CAP_BPF, "CAP_PERFMON": unix.CAP_PERFMON, "CAP_SYS_PTRACE": unix.CAP_SYS_PTRACE,
	"CAP_DAC_READ_SEARCH": unix.CAP_DAC_READ_SEARCH, "CAP_SYS_NICE": unix.CAP_SYS_NICE,
}

// TestCapabilities: as a user of its own, with the capabilities of the unit in the documents, the agent profiles a
// service of another user, whose files nobody else may read. Without any one of them something is missing.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	names := unitCapabilities(t)
	u := users(t, "function ofAnotherUser() { for (;;) fs.statSync('/') } ofAnotherUser()")
	t.Run("all", func(t *testing.T) {
		a := u.agent(t, names)
		a.waitFor(t, "first named sample", 1)
		time.Sleep(time.Second)
		if !a.raised(t) {
			t.Error("no thread has a higher priority")
		}
		if _, written, _ := a.end(t); written == 0 || strings.Contains(a.log.String(), "warn") {
			t.Errorf("%d samples: %s", written, a.log)
		}
	})
	for _, without := range names {
		t.Run("without "+without, func(t *testing.T) {
			a := u.agent(t, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == without }))
			switch without {
			case "CAP_BPF", "CAP_PERFMON":
				if err := a.Wait(); err == nil || !strings.Contains(a.log.String(), "hotspan needs CAP_BPF") {
					t.Errorf("%v: %s", err, a.log)
				}
			case "CAP_SYS_PTRACE", "CAP_DAC_READ_SEARCH":
				a.waitReady(t)
				time.Sleep(2 * time.Second)
				said, _, _ := a.end(t)
				if said != 0 || !strings.Contains(a.log.String(), "no permission to read some processes") {
					t.Errorf("%d samples: %s", said, a.log)
				}
			default:
				a.waitFor(t, "first named sample", 1)
				if a.raised(t) {
					t.Error("a thread has a higher priority")
				}
				a.end(t)
			}
		})
	}
}

// unitCapabilities are the names of those that the documents give to the agent.
func unitCapabilities(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	ambient := regexp.MustCompile(`(?m)^AmbientCapabilities=(.*)$`).FindSubmatch(b)
	bounds := regexp.MustCompile(`(?m)^CapabilityBoundingSet=(.*)$`).FindSubmatch(b)
	if ambient == nil || bounds == nil || string(ambient[1]) != string(bounds[1]) {
		t.Fatalf("the unit has %q and %q", ambient, bounds)
	}
	return strings.Fields(string(ambient[1]))
}

// twoUsers are a user whose service runs, and one as which an agent can run.
type twoUsers struct {
	hotspan, state string
	pid            int // of the service
}

const (
	serviceUser = 4343
	agentUser   = 4242
)

// users starts the service, with this code.
func users(t *testing.T, code string) twoUsers {
	t.Helper()
	dir, err := os.MkdirTemp("", "hotspan-users-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	u := twoUsers{hotspan: filepath.Join(dir, "hotspan"), state: filepath.Join(dir, "state")}
	app := filepath.Join(dir, "app")
	node := filepath.Join(app, "node")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(app, 0o700), os.Mkdir(u.state, 0o700),
		copyFile(u.hotspan, hotspan), copyFile(node, node24(t)), os.Chown(app, serviceUser, serviceUser),
		os.Chown(node, serviceUser, serviceUser), os.Chown(u.state, agentUser, agentUser),
		os.Chmod(node, 0o700)); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, "-e", code)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: serviceUser, Gid: serviceUser}}
	c.Dir, c.Env = app, []string{"HOME=" + app}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	u.pid = c.Process.Pid
	return u
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// agent starts an agent with some capabilities. Its store has an interval of the test only.
func (u twoUsers) agent(t *testing.T, names []string) *runningAgent {
	t.Helper()
	dir, err := os.MkdirTemp(u.state, "")
	if err != nil {
		t.Fatal(err)
	}
	a := &runningAgent{store: filepath.Join(dir, "store"), socket: filepath.Join(dir, "agent.sock"), log: new(buffer)}
	notify, ready := notifications(t)
	if err := errors.Join(os.Chown(dir, agentUser, agentUser), os.Chown(notify, agentUser, agentUser),
		os.Chmod(filepath.Dir(notify), 0o755), os.Chmod(filepath.Dir(filepath.Dir(notify)), 0o755)); err != nil {
		t.Fatal(err)
	}
	a.ready = ready
	a.Cmd = exec.Command(u.hotspan, "agent", "--name", "ofAnotherUser", "--rate", "199", "--period", "500ms",
		"--cpu-percent", "0", "-v", "--store", a.store, "--socket", a.socket)
	a.Stderr, a.Dir = a.log, dir
	a.Env = []string{"NOTIFY_SOCKET=" + notify, "XDG_CACHE_HOME=" + filepath.Join(u.state, "cache")}
	a.SysProcAttr = asAgent(names)
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Process.Kill(); a.Wait() })
	return a
}

// asAgent are the rights of the agent's user with some capabilities.
func asAgent(names []string) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: agentUser, Gid: agentUser}}
	for _, n := range names {
		a.AmbientCaps = append(a.AmbientCaps, capabilities[n])
	}
	return a
}

// end ends the agent and returns what its closing line says.
func (a *runningAgent) end(t *testing.T) (said, written, lost int) {
	t.Helper()
	a.stop(t)
	return taken(t, a.log.String())
}

// raised reports whether a thread of the agent runs before others.
func (a *runningAgent) raised(t *testing.T) bool {
	t.Helper()
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", a.Process.Pid))
	return slices.ContainsFunc(threads, func(name string) bool {
		b, _ := os.ReadFile(name)
		fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		return len(fields) > 16 && strings.HasPrefix(fields[16], "-") // the nice level
	})
}
