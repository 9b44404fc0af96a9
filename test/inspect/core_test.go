// Package inspect tests hotspan inspect on cores of processes that die in known places.
package inspect

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/test/built"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

var hotspan string // the command under test

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "hotspan-inspect-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		if hotspan, err = built.Hotspan(dir, "../.."); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

var all = flag.Bool("all", false, "take the newest version of each major of Node.js, which takes minutes")

var corruptions = flag.Int("corruptions", 20, "how often each core is damaged; with -all 1000 times")

// versions are the newest of each major, or without -all of the first major and the last.
func versions() (out []nodes.Version) {
	for _, v := range nodes.Versions() { // newer ones come later
		if n := len(out); n > 0 && out[n-1].Major() == v.Major() {
			out[n-1] = v
		} else {
			out = append(out, v)
		}
	}
	if *all {
		return out
	}
	return []nodes.Version{out[0], out[len(out)-1]}
}

// frame is a frame as the program says that it is.
type frame struct {
	Function, File string
	Line, Column   int
}

// dead is a core and what its program wrote down.
type dead struct {
	core, node   string
	main, worker []frame
}

// flagsOf are those that a way to end needs.
var flagsOf = map[string][]string{
	"throw": {"--abort-on-uncaught-exception"},
	"oom":   {"--max-old-space-size=40"},
}

// arguments are those of Node.js for the program. What it writes down goes to a directory.
func arguments(t *testing.T, v nodes.Version, dir, how string) []string {
	t.Helper()
	script, err := filepath.Abs("testdata/crash.js")
	if err != nil {
		t.Fatal(err)
	}
	return append(slices.Clone(flagsOf[how]), live.Natives(v, script, dir, how)...)
}

// die runs the program until it has died.
func die(t *testing.T, v nodes.Version, how string) dead {
	t.Helper()
	dir := t.TempDir()
	d := dead{node: live.Binary(t, v.Version), core: live.Core(t, v.Version, arguments(t, v, dir, how)...)}
	d.read(t, dir)
	return d
}

// gcore has gdb write a core of the program while it waits.
func gcore(t *testing.T, v nodes.Version) dead {
	t.Helper()
	if _, err := exec.LookPath("gcore"); err != nil {
		t.Skip("gdb is not installed")
	}
	dir := t.TempDir()
	p := live.Start(t, v.Version, arguments(t, v, dir, "wait")...)
	defer syscall.Kill(p.PID, syscall.SIGKILL)
	name := filepath.Join(dir, "core")
	if text, err := exec.Command("gcore", "-o", name, strconv.Itoa(p.PID)).CombinedOutput(); err != nil {
		t.Fatalf("gcore: %v: %s", err, text)
	}
	d := dead{node: p.Node, core: name + "." + strconv.Itoa(p.PID)}
	d.read(t, dir)
	return d
}

// read reads what the program wrote down.
func (d *dead) read(t *testing.T, dir string) {
	t.Helper()
	for name, to := range map[string]*[]frame{"main.json": &d.main, "worker.json": &d.worker} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = json.Unmarshal(text, to)
		}
		if err != nil || len(*to) < 10 {
			t.Fatalf("%v: %s", err, text)
		}
	}
}

// answer is what hotspan inspect prints of the stacks.
type answer struct {
	PID     int
	Signal  string
	Fault   string
	Node    string
	Missing uint64
	NotUsed []string
	Threads []thread
}

type thread struct {
	TID    int
	Stop   string
	Labels map[string]any
	Stack  []struct {
		F, File, Kind, Tier string
		Line, Col           int
		Inlined             bool
		This                *held
		Arguments           []held
	}
}

// inspect runs the command, and returns its error text where it fails. What it has printed all the same is read.
func inspect(to any, args ...string) error {
	cmd := exec.Command(hotspan, append([]string{"inspect", "--json"}, args...)...)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		_ = json.Unmarshal(out, to) // nothing, mostly
		return errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(out, to)
}
