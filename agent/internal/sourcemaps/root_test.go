package sourcemaps

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

// TestRootIsClosed: the root of a process that has ended is closed, but not before its last map is read.
func TestRootIsClosed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "x.js", "let a")
	root, err := procs.OpenRootDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := New(slog.New(slog.DiscardHandler))
	m.unchanged = 100 * time.Millisecond
	p := newProcess(m, procs.Nobody, root)
	time.Sleep(2 * m.unchanged)
	write(t, dir, "x.js.map", aMap) // long after the script, so it is looked for again
	s := functions.MappedScript{Script: &heap.Script{Name: "/x.js"}, URL: text("x.js.map"), Source: text("let a")}
	number := p.Add(s)
	p.End()
	for range 2 {
		if got := fileOf(m, number, s.Script.Name); got != "a.ts" {
			t.Errorf("after the end of the process: %s, %+v", got, m.Stats())
		}
	}
	if opened(t, dir) != 1 {
		t.Errorf("%d descriptors of the root", opened(t, dir))
	}
	m.Forget(2)
	for deadline := time.Now().Add(10 * time.Second); opened(t, dir) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the root stays open")
		}
	}
	runtime.KeepAlive(p) // else the collector may close it
}

// opened is how many descriptors this process has of a directory.
func opened(t *testing.T, dir string) (n int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == dir {
			n++
		}
	}
	return n
}
