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
	// Storages are AsyncLocalStorages.
	Storages map[string]string
	Named    bool // they have names
}

func TestLearner(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			n := startNode(t, v.Version)
			t.Run("properties", n.checkProperties)
			t.Run("storages", n.checkStorages)
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
	l := NewLearner(nil, n.r)
	for _, object := range []string{"plain", "wide", "context"} {
		_, class, err := n.r.Forwarded(address(t, n.Values[object]))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.AddStoreProperties(class); err != nil {
			t.Errorf("%s: %v", object, err)
		}
	}
	for _, name := range []string{"unused", "endpoint", "user", "w0", "w12", "_currentContext"} {
		if !slices.Contains(l.StoreProperties, name) {
			t.Errorf("property %s was not seen, only %v", name, l.StoreProperties)
		}
	}
	if err := l.AddStoreProperties(address(t, n.Values["plain"])); err == nil {
		t.Error("an object is no hidden class")
	}
}

func (n *node) checkStorages(t *testing.T) {
	tree, err := NewTree(rules(t, `a=als("session").id`, `b=als("session")`, "c=x"))
	if err != nil {
		t.Fatal(err)
	}
	l := NewLearner(tree, n.r)
	for storage, want := range map[string]Root{"session": {1, 1}, "other": {-1, -1}, "unnamed": {-1, -1}} {
		got, err := l.RootOf(address(t, n.Storages[storage]))
		if !n.Named {
			want = Root{-1, -1}
		}
		if got != want {
			t.Errorf("%s: %+v, %v, want %+v", storage, got, err, want)
		}
	}
}
