package sourcemaps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/test/slowfiles"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

func TestMain(m *testing.M) {
	slowfiles.Main()
	os.Exit(m.Run())
}

// TestSlowMap: a map that does not come delays those of another process by a second, and the next ones of its own
// process delay none.
func TestSlowMap(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	m, slow, _ := mapper(t)
	root, err := procs.OpenRoot(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	other := newProcess(m, procs.Nobody, root)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "map"), []byte(aMap), 0o644); err != nil {
		t.Fatal(err)
	}
	script := func(id int, url string) functions.MappedScript { // the script itself has no file
		return functions.MappedScript{Script: &heap.Script{ID: id, Name: dir + "/x.js"}, URL: text(url)}
	}
	mount := slowfiles.Mount(t, "", slowfiles.Never)
	slow.Add(script(1, mount+"/a"))
	for end := time.Now().Add(10 * time.Second); !held(m); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the slow map has no turn")
		}
	}
	began := time.Now()
	if got := add(m, other, script(2, "map")); got.script.Map == nil {
		t.Fatalf("%+v, %+v", got, m.Stats())
	}
	if took := time.Since(began); took > 4*time.Second || !slow.slow.Load() {
		t.Errorf("another process waited for %v for a map that does not come", took)
	}
	slow.Add(script(3, mount+"/b"))
	time.Sleep(200 * time.Millisecond)
	if held(m) {
		t.Error("another map of the process with a slow one has the turn")
	}
	known := m.script[1]
	if <-known.done; known.script.Map != nil || m.Stats().Broken != 1 {
		t.Errorf("the slow map: %+v", m.Stats())
	}
}

// held reports whether a small map has the turn.
func held(m *Maps) bool {
	ended := make(chan bool)
	go func() {
		m.turns.Begin(1).End()
		close(ended)
	}()
	select {
	case <-ended:
		return false
	case <-time.After(50 * time.Millisecond):
		return true
	}
}

// TestTooLong: a map in a script that is longer than what is read of one is too large.
func TestTooLong(t *testing.T) {
	m, target, said := mapper(t)
	add(m, target, functions.MappedScript{Script: &heap.Script{ID: 7, Name: "/srv/x.js"}, TooLong: true})
	if m.Stats().TooLarge != 1 || !strings.Contains(said.String(), "in the script, more than 67108864 characters") {
		t.Errorf("%+v, said %q", m.Stats(), said)
	}
}
