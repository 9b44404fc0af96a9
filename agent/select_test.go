package agent

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/resource"
)

func TestMatches(t *testing.T) {
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
		{"pids are not asked for here", Selection{PIDs: []int{child}}, child, false},
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
		if got := c.s.matches(&resource.Origin{PID: c.pid}); got != c.want {
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
