package npm

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestRecords: a reader written from the public texts alone finds every record, on each Node with AsyncContextFrame.
func TestRecords(t *testing.T) {
	app := installedApp(t)
	for _, n := range supported {
		if n.frame {
			t.Run(n.version, func(t *testing.T) { testRecords(t, app, n) })
		}
	}
}

func testRecords(t *testing.T, app string, n node) {
	found, none, threads := 0, 0, map[int]bool{}
	n.follow(t, app, func(thread int, _ *outside, got map[string]string) {
		if threads[thread] = true; got == nil {
			none++
		} else {
			found++
		}
	}, "testdata/contexts.js")
	t.Logf("%d records, %d times none, on %d threads", found, none, len(threads))
	if found != 2*(5*2*7+1) || none != 2*(5*2+1)+1 || len(threads) != 2 {
		t.Error("these are too few, or too many")
	}
}

// TestNative: on threads that run no JavaScript a reader finds the context in which their jobs were started, wherever
// Node keeps stores.
func TestNative(t *testing.T) {
	app := installedApp(t)
	for _, n := range supported {
		t.Run(n.name(), func(t *testing.T) {
			found, threads := 0, map[int]bool{}
			jobs := live.Addon(t, n.path(t), "../e2e/testdata/jobs.cc", "-I../../nodeaddon/include")
			n.follow(t, app, func(thread int, _ *outside, _ map[string]string) {
				found++
				threads[thread] = true
			}, "testdata/jobs.js", jobs)
			if found != 6 || len(threads) < 4 {
				t.Errorf("read %d contexts, on %d threads", found, len(threads))
			}
		})
	}
}

// TestBeside: a process has one process context. The package adds to that of another writer, keeps its resource and the
// numbers of its keys, and adds again what the other writer has removed. Until then keys are unknown, not wrong.
func TestBeside(t *testing.T) {
	app, n, found := installedApp(t), node{"24.21.0", true}, 0
	publish := live.Addon(t, n.path(t), "../e2e/testdata/publish.c")
	n.follow(t, app, func(_ int, o *outside, _ map[string]string) {
		found++
		if o.service != "theirs" || o.keys[0] != "tenant" || o.keys[1] != "http.route" {
			t.Errorf("service %q, keys %q", o.service, o.keys)
		}
	}, "testdata/beside.js", publish)
	if found != 4 {
		t.Errorf("read %d contexts", found)
	}
}

// TestWrapped: where another writer has records behind a second object, none of this package could be read.
func TestWrapped(t *testing.T) {
	app, n := installedApp(t), node{"24.21.0", true}
	publish := live.Addon(t, n.path(t), "../e2e/testdata/publish.c")
	script := []string{"testdata/wrapped.js", filepath.Join(app, "node_modules/hotspan"), publish}
	if out, err := exec.Command(n.path(t), script...).CombinedOutput(); err != nil || string(out) != "text\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestUnpublished: a resource too long to be published leaves the process without what readers of records need, so none
// are made.
func TestUnpublished(t *testing.T) {
	app, n := installedApp(t), node{"24.21.0", true}
	for length, want := range map[int]string{1 << 10: "record\n", 100 << 10: "text\n"} {
		cmd := exec.Command(n.path(t), "-p", `require("hotspan").form`)
		cmd.Dir, cmd.Env = app, append(os.Environ(), "OTEL_SERVICE_NAME="+strings.Repeat("x", length))
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("a name of %d bytes: %v: %s, want %s", length, err, out, want)
		}
	}
}

// follow runs a program that says what each context is, and compares what it says with what is found from outside. The
// program gets the path of the package, and more.
func (n node) follow(t *testing.T, app string, each func(thread int, o *outside, got map[string]string), script string,
	more ...string) {
	t.Helper()
	args := append(n.flags(), "--expose-gc", script, filepath.Join(app, "node_modules/hotspan"))
	cmd := exec.Command(n.path(t), append(args, more...)...)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var said struct {
			Thread int
			Want   map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &said); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		o, err := newOutside(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.context(said.Thread)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(said.Want, got); diff != "" {
			t.Fatal(diff)
		}
		each(said.Thread, o, got)
		if _, err := io.WriteString(in, "\n"); err != nil {
			t.Fatal(err)
		}
	}
}
