package context

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

type node struct {
	r      *heap.Reader
	Values map[string]string
}

func TestStoreProperties(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			startNode(t, v.Version).checkProperties(t)
		})
	}
}

// startNode runs testdata/store.js and reads what it says.
func startNode(t *testing.T, version string) *node {
	t.Helper()
	p := live.Start(t, version, "--allow-natives-syntax", "--expose-gc", "testdata/store.js", live.Stdout)
	n := &node{}
	p.Said(t, n)
	f, err := os.Open(p.Node)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := layout.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	n.r = heap.NewReader(target.Live{PID: p.PID}, l)
	return n
}

func address(t *testing.T, s string) heap.Word {
	t.Helper()
	w, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return heap.Word(w)
}

func (n *node) checkProperties(t *testing.T) {
	var seen StoreProperties
	for _, object := range []string{"plain", "wide", "context"} {
		_, class, err := n.r.Forwarded(address(t, n.Values[object]))
		if err != nil {
			t.Fatal(err)
		}
		if err := seen.Add(n.r, class); err != nil {
			t.Errorf("%s: %v", object, err)
		}
	}
	for _, name := range []string{"unused", "endpoint", "user", "w0", "w12", "_currentContext"} {
		if !slices.Contains(seen, name) {
			t.Errorf("property %s was not seen, only %v", name, seen)
		}
	}
	if err := seen.Add(n.r, address(t, n.Values["plain"])); err == nil {
		t.Error("an object is no hidden class")
	}
}
