package agent

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/resource"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/slowfiles"
)

func TestIncludes(t *testing.T) {
	cmd := exec.Command("cat", "-u", "--", "-")
	cmd.Env = []string{"NODE_ENV=production", "EMPTY=", "LONG=" + strings.Repeat("x", MaxValue+1)}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	io.WriteString(in, "x")
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil { // now it is cat, not a copy of this test
		t.Fatal(err)
	}
	self, child := os.Getpid(), cmd.Process.Pid
	env := func(name, value string) Variable { return Variable{name, regexp.MustCompile(value)} }
	for _, c := range []struct {
		name string
		s    Selection
		pid  int
		want bool
	}{
		{"nothing", Selection{}, child, false},
		{"pid", Selection{PIDs: []int{child}}, child, true},
		{"all", Selection{All: true}, child, true},
		{"all but this", Selection{All: true}, self, false},
		{"executable", Selection{Name: regexp.MustCompile(`^cat$`)}, child, true},
		{"argument", Selection{Name: regexp.MustCompile(`-u -- -$`)}, child, true},
		{"folder of the executable", Selection{Name: regexp.MustCompile(`^/.*/cat$`)}, child, false},
		{"another name", Selection{Name: regexp.MustCompile(`^node$`)}, child, false},
		{"name of no process", Selection{Name: regexp.MustCompile(`.*`)}, 1 << 30, false},
		{"child", Selection{Tree: self}, child, true},
		{"root of the tree", Selection{Tree: child}, child, true},
		{"not in the tree", Selection{Tree: child}, os.Getppid(), false},
		{"another tree, but the name", Selection{Tree: 1 << 30, Name: regexp.MustCompile(`^cat$`)}, child, true},
		{"this, by tree", Selection{Tree: self}, self, false},
		{"another group", Selection{ControlGroups: []string{"/no"}}, child, false},
		{"container", Selection{Containers: []string{"0"}}, child, false},
		{"variable", Selection{Environment: []Variable{{Name: "EMPTY"}}}, child, true},
		{"no variable", Selection{Environment: []Variable{{Name: "NODE"}}}, child, false},
		{"value", Selection{Environment: []Variable{env("NODE_ENV", "^prod")}}, child, true},
		{"another value", Selection{Environment: []Variable{env("NODE_ENV", "^test")}}, child, false},
		{"any value of one", Selection{Environment: []Variable{env("NODE_ENV", "^t"), env("NODE_ENV", "^p")}},
			child, true},
		{"each variable", Selection{Environment: []Variable{env("NODE_ENV", "^p"), env("EMPTY", "x")}}, child, false},
		{"long value", Selection{Environment: []Variable{env("LONG", "x")}}, child, false},
		{"long value, whatever", Selection{Environment: []Variable{{Name: "LONG"}}}, child, true},
		{"name and variable", Selection{Name: regexp.MustCompile(`^cat$`),
			Environment: []Variable{{Name: "EMPTY"}}}, child, true},
		{"name, another variable", Selection{Name: regexp.MustCompile(`^cat$`),
			Environment: []Variable{{Name: "NO"}}}, child, false},
		{"variable of no process", Selection{Environment: []Variable{{Name: "EMPTY"}}}, 1 << 30, false},
	} {
		if got := c.s.includes(&resource.Origin{PID: c.pid}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestOpenSelection(t *testing.T) {
	for _, c := range []struct {
		s    Selection
		want bool
	}{{Selection{}, false}, {Selection{PIDs: []int{1}}, false}, {Selection{All: true}, true},
		{Selection{Tree: 5}, true}, {Selection{Containers: []string{"a"}}, true},
		{Selection{Name: regexp.MustCompile("x")}, true}} {
		if got := c.s.open(); got != c.want {
			t.Errorf("%+v: %v", c.s, got)
		}
	}
}

func TestMain(m *testing.M) {
	slowfiles.Main()
	os.Exit(m.Run())
}

// TestLockedProcess: samples do not wait for what a process was started with, which it may keep for itself for ever,
// and another one that is selected is profiled meanwhile.
func TestLockedProcess(t *testing.T) {
	a, _ := attached(t, 1)
	a.config.Select = Selection{Environment: []Variable{{Name: "NODE_TEST"}}}
	locked := slowfiles.Lock(t, slowfiles.Mount(t, "", slowfiles.Never)+"/a")
	t.Setenv("NODE_TEST", "1")
	other := live.Start(t, "24.21.0", "-e", waits).PID
	t.Cleanup(func() { a.async.WaitAll(time.Minute, func(time.Duration) bool { return true }) })
	began := time.Now()
	for _, pid := range []int{locked, other} {
		a.lifecycle(bpf.Lifecycle{Type: bpf.RecordExec, Pid: uint32(pid), Time: uint64(sampler.Now())})
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("samples wait for %v", took)
	}
	for a.targets[other] == nil && a.async.Wait(time.Minute) {
	}
	if took := time.Since(began); took > 4*time.Second || a.targets[other] == nil || a.async.Pending() == 0 {
		t.Errorf("the other process is profiled: %v, after %v, when %d are read", a.targets[other] != nil, took,
			a.async.Pending())
	}
}
