package dump

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/process"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

const program = "testdata/where.js"

// place is a frame in the program.
type place struct {
	Name string
	Line int
}

// placesOf are the frames of functions with markers, leaf first.
func placesOf(t *testing.T, names ...string) (all []place) {
	t.Helper()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, name := range names {
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasSuffix(l, "// @"+name) })
		all = append(all, place{name, i + 1})
	}
	return all
}

// named are the frames of a thread in named functions of the program, without the anonymous ones around them.
func named(th *Thread) (all []place) {
	for _, f := range th.Stack {
		if filepath.Base(f.File) == filepath.Base(program) && f.Function != "(anonymous)" {
			all = append(all, place{f.Function, f.Line})
		}
	}
	return all
}

// cache is where what is parsed of files is kept from one dump of a test to the next.
var cache string

func config(t *testing.T, pid int) Config {
	t.Helper()
	c := Config{PID: pid, FileCache: cache, Log: slog.New(slog.DiscardHandler)}
	var own []reqctx.Rule
	for _, text := range []string{"tenant=tenant", "user=user", "long=long"} {
		r, err := reqctx.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		own = append(own, r)
	}
	c.Rules = reqctx.AllKinds.Rules(own)
	return c
}

// TestTake: each thread of each Node is where the program says that it is, with the labels of its request.
func TestTake(t *testing.T) {
	root(t)
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			p := live.Start(t, v.Version, program)
			cache = t.TempDir()
			var of map[string]*Thread
			for range 50 { // until both wait
				if of = taken(t, p.PID); of["acme"] != nil && of["globex"] != nil && len(named(of["globex"])) == 4 {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			if of["acme"] == nil || of["globex"] == nil {
				t.Fatalf("no thread has the labels: %v", of)
			}
			check(t, of["acme"], "readInput", []pprofx.Label{
				{Key: "long", Str: strings.Repeat("é", 512) + "…"}, {Key: "tenant", Str: "acme"},
				{Key: "user", Num: 41}})
			check(t, of["globex"], "waitForNobody", []pprofx.Label{{Key: "tenant", Str: "globex"}})
			computes(t, p.PID)
		})
	}
}

func root(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test loads BPF programs: run it as root")
	}
}

// taken takes a dump, and returns the threads by the tenant of their request. All threads must have been caught, and
// walked to their first frame.
func taken(t *testing.T, pid int) map[string]*Thread {
	t.Helper()
	d, err := Take(config(t, pid))
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]*Thread{}
	for i := range d.Threads {
		th := &d.Threads[i]
		if !th.Caught || th.Stop != pprofx.StopRoot || len(th.Stack) < 2 {
			t.Errorf("thread %d %s: caught %v, %v, %d frames", th.TID, th.Name, th.Caught, th.Stop,
				len(th.Stack))
		}
		for _, l := range th.Labels {
			if l.Key == "tenant" {
				of[l.Str] = th
			}
		}
	}
	if len(d.Threads) < 6 || d.Threads[0].TID != pid || d.NotVerified != "" {
		t.Errorf("%d threads, not verified %q", len(d.Threads), d.NotVerified)
	}
	return of
}

func check(t *testing.T, th *Thread, leaf string, labels []pprofx.Label) {
	t.Helper()
	if diff := cmp.Diff(placesOf(t, leaf, "inner", "middle", "outer"), named(th)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(labels, th.Labels); diff != "" {
		t.Error(diff)
	}
	if th.Status != "sleeping" {
		t.Errorf("status %s", th.Status)
	}
}

// computes looks at the thread that never waits: what its stack and its labels say must be of one instant.
func computes(t *testing.T, pid int) {
	t.Helper()
	seen := map[string]int{}
	for range 6 {
		of := taken(t, pid)
		for _, tenant := range []string{"even", "odd"} {
			if th := of[tenant]; th != nil && len(named(th)) > 0 {
				if in := named(th)[0].Name; in != tenant {
					t.Errorf("a thread in the function %s has the tenant %s", in, tenant)
				}
				seen[tenant]++
			}
		}
	}
	if seen["even"]+seen["odd"] < 3 {
		t.Errorf("of 6 dumps so many have a function of the thread that computes: %v", seen)
	}
}

func TestTakeErrors(t *testing.T) {
	root(t)
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	if _, err := Take(config(t, c.Process.Pid)); !errors.Is(err, process.ErrNotNode) {
		t.Errorf("of sleep: %v", err)
	}
	if _, err := Take(config(t, 1<<22)); !errors.Is(err, process.ErrGone) {
		t.Errorf("of no process: %v", err)
	}
}
