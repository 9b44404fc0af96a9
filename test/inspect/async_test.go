package inspect

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// asyncStacks is what hotspan inspect stack prints of who waits for what threads do.
type asyncStacks struct {
	Threads []struct {
		Status string
		Caught bool
		Stop   string
		Stack  []struct {
			F         string
			Arguments []held
		}
		Async                  []asyncFrame
		AsyncEnd, AsyncPromise string
	}
}

// TestAsync: who waits for what threads do is what Error.stack said of it, of a process that runs.
func TestAsync(t *testing.T) {
	script := awaitScript(t)
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			dir := t.TempDir()
			p := live.Start(t, v.Version, script, dir, "spin")
			defer syscall.Kill(p.PID, syscall.SIGKILL)
			checkAsync(t, v, dir, "-p", strconv.Itoa(p.PID))
		})
	}
}

// TestAsyncOfCore: of a core too.
func TestAsyncOfCore(t *testing.T) {
	live.NeedCores(t)
	script := awaitScript(t)
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			dir := t.TempDir()
			checkAsync(t, v, dir, live.Core(t, v.Version, script, dir, "stand", "abort"))
		})
	}
}

// checkAsync compares the threads with what the program wrote down. In each runs one way.
func checkAsync(t *testing.T, v nodes.Version, dir string, of ...string) {
	t.Helper()
	var a asyncStacks
	if err := inspect(&a, append(of, "stack")...); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, th := range a.Threads {
		way := ""
		for _, f := range th.Stack {
			if f.F == "stand" && len(f.Arguments) == 1 {
				way = strings.Trim(f.Arguments[0].Text, "'")
			}
		}
		if way == "" {
			if len(th.Async) > 0 || th.AsyncEnd != "" {
				t.Errorf("a thread that stands elsewhere has %v", th.Async)
			}
			continue
		}
		seen++
		for i := range th.Async {
			th.Async[i].Kind = ""
		}
		compareAsync(t, way, asyncLines(t, v, dir, way), th.Async, th.AsyncEnd)
	}
	if said, err := filepath.Glob(filepath.Join(dir, "*.json")); err != nil || seen != len(said) || seen < 20 {
		t.Errorf("%d threads, %d wrote down who awaits them (%v): of %+v", seen, len(said), err, a.Threads)
	}
}
