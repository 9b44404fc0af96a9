package inspect

import (
	"bufio"
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes"
)

// TestStoresOfResources: in each kind of callback it finds the stores that the Node process says are current, where
// async_hooks keep them.
func TestStoresOfResources(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			args := append(v.AsyncHooks(), "--expose-internals", "testdata/resources.js")
			kinds := 0
			for stop := range stops(t, v.Version, args) {
				kinds++
				stop.check(t)
			}
			if kinds != 16 {
				t.Errorf("the Node process stopped %d times, want 16", kinds)
			}
		})
	}
}

// stop is where resources.js stands, and what it says of it.
type stop struct {
	pid    int
	Kind   string
	Stores []map[string]int
}

// stops runs resources.js from stop to stop.
func stops(t *testing.T, version string, args []string) func(yield func(stop) bool) {
	node, err := nodes.Path(version)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, args...)
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return func(yield func(stop) bool) {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s := stop{pid: c.Process.Pid}
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Fatal(err)
			}
			if !yield(s) {
				return
			}
			if _, err := in.Write([]byte{0}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (s stop) check(t *testing.T) {
	t.Helper()
	p, err := process.Open(s.pid, files)
	if err != nil {
		t.Fatal(err)
	}
	at, err := p.MainIsolate()
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	r := p.Heap()
	c, _ := NewIsolate(r, at).Current()
	for _, e := range c.Stores {
		if store, ok := NewStoreReader(r).store(e); ok {
			got = append(got, strings.Join(store.Properties, " "))
		}
	}
	for _, store := range s.Stores {
		want = append(want, strings.Join(slices.Sorted(maps.Keys(store)), " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || c.Frame != 0 {
		t.Errorf("%s: frame 0x%x (-want +got):\n%s", s.Kind, uint64(c.Frame), diff)
	}
}

// files has the layouts of executables, which take a while to be read.
var files = elffile.NewLayoutCache()
