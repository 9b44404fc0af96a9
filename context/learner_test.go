package context

import (
	"os"
	"slices"
	"strconv"
	"strings"
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
	Map      string
	Hash     uint32
}

func TestLearner(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			n := startNode(t, v.Version)
			t.Run("slots", n.checkSlots)
			t.Run("OpenTelemetry", n.checkOpenTelemetry)
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

// learn is the shape of an object that is the store of any AsyncLocalStorage.
func (n *node) learn(t *testing.T, l *Learner, object string) Shape {
	t.Helper()
	w := address(t, n.Values[object])
	_, class, err := n.r.Forwarded(w)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Shape(0, class)
	if err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	return s
}

// slot reads the word that a slot says, as the BPF program does.
func (n *node) slot(t *testing.T, object string, slot uint16) heap.Word {
	t.Helper()
	base := uint64(address(t, n.Values[object])) - 1
	if slot&SlotOutOfLine != 0 {
		array, err := n.r.WordAt(base + 8) // behind the hidden class: the property array
		if err != nil {
			t.Fatal(err)
		}
		base = uint64(array) - 1 + 16 // its hidden class and length come first
	}
	w, err := n.r.WordAt(base + 8*uint64(slot&^SlotOutOfLine))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (n *node) checkSlots(t *testing.T) {
	tree, err := NewTree(rules(t, "a=endpoint", "b=user.id", "c=w0", "d=w12", "e=missing"))
	if err != nil {
		t.Fatal(err)
	}
	l := NewLearner(tree, n.r)
	for _, c := range []struct {
		object, name string
		want         int
	}{{"plain", "endpoint", 77}, {"user", "id", 41}, {"wide", "w0", 100}, {"wide", "w12", 112}} {
		s := n.learn(t, l, c.object)
		slot := s.Slots[slices.Index(tree.Names, Name{Text: c.name})]
		if w := n.slot(t, c.object, slot); slot == 0 || !w.IsSmi() || w.Smi() != c.want {
			t.Errorf("%s.%s: slot 0x%x holds 0x%x, want the number %d", c.object, c.name, slot, uint64(w), c.want)
		}
		if s.Descriptors == 0 || s.OwnDescriptors == 0 {
			t.Errorf("%s: %+v", c.object, s)
		}
	}
	user := n.learn(t, l, "plain").Slots[slices.Index(tree.Names, Name{Text: "user"})]
	if w := n.slot(t, "plain", user); w != address(t, n.Values["user"]) {
		t.Errorf("plain.user is at 0x%x, want %s", uint64(w), n.Values["user"])
	}
	for _, object := range []string{"dictionary", "getter", "symbol", "array", "string"} {
		if s := n.learn(t, l, object); s.Slots != [MaxNames]uint16{} {
			t.Errorf("%s has slots: %v", object, s.Slots)
		}
	}
	for _, name := range []string{"unused", "endpoint", "user", "w0", "w12"} {
		if !slices.Contains(l.StoreProperties, name) {
			t.Errorf("property %s was not seen, only %v", name, l.StoreProperties)
		}
	}
	if _, err := l.Shape(0, address(t, n.Values["plain"])); err == nil {
		t.Error("an object is no hidden class")
	}
}

func (n *node) checkOpenTelemetry(t *testing.T) {
	tree, err := NewTree(AllKinds.Rules(nil))
	if err != nil {
		t.Fatal(err)
	}
	l := NewLearner(tree, n.r)
	got := l.ShapesFrom(0, address(t, n.Values["context"]))
	name := slices.Index(tree.Names, Name{GlobalName, "OpenTelemetry Context Key SPAN"})
	if hash, ok := l.NameHash(name, address(t, n.Map)); hash != n.Hash || hash == 0 || !ok {
		t.Errorf("the symbol's hash is %d, V8 prints %d", hash, n.Hash)
	}
	for object, names := range map[string][]string{"context": {"_currentContext"}, "span": {"_spanContext"},
		"spanContext": {"traceId", "spanId"}} {
		_, class, err := n.r.Forwarded(address(t, n.Values[object]))
		if err != nil {
			t.Fatal(err)
		}
		s, ok := got.Shapes[class]
		if !ok {
			t.Errorf("%s was not learnt", object)
		}
		for _, name := range names {
			w := n.slot(t, object, s.Slots[slices.Index(tree.Names, Name{Text: name})])
			want := map[string]string{"_currentContext": n.Map, "_spanContext": n.Values["spanContext"]}[name]
			text, err := n.r.String(w, 99)
			if want != "" && w != address(t, want) || want == "" &&
				(err != nil || !strings.Contains("4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7", text)) {
				t.Errorf("%s.%s: 0x%x %q, %v", object, name, uint64(w), text, err)
			}
		}
	}
	if slices.Contains(l.StoreProperties, "_spanContext") || !slices.Contains(l.StoreProperties, "_currentContext") {
		t.Errorf("seen in stores: %v", l.StoreProperties)
	}
	if got := l.ShapesFrom(0, 0x700000000001); len(got.Shapes) != 0 {
		t.Errorf("learnt of memory that is not there: %+v", got)
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
