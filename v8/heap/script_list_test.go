package heap

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/layout"
)

// TestScriptList: a script that has died is in no list, though it is where it was. Only a list whose elements all are
// scripts is that of the scripts.
func TestScriptList(t *testing.T) {
	l := testLayout()
	m := &image{}
	class := m.class(l.At(layout.TypeScript))
	one, two, dead, other := m.Put(class), m.Put(class), m.Put(class), m.Put(m.class(seqOne))
	weakly := func(w Word) Word { return w | 2 }
	const cleared = Word(3)
	mixed := m.Put(0, smi(4), smi(2), weakly(one), weakly(other), 0, 0)
	strong := m.Put(0, smi(2), smi(2), one, two)
	short := m.Put(0, smi(1), smi(2), weakly(one), weakly(two))
	list := m.Put(0, smi(5), smi(3), weakly(one), cleared, weakly(two), weakly(dead), 0)
	isolate := m.Put(smi(7), mixed, strong, short, other, list).address()
	m.B = append(m.B, make([]byte, rootBytes)...)
	r := NewReader(m, l)
	slot, err := r.FindScripts(isolate)
	if err != nil || slot != isolate+5*8 {
		t.Fatalf("found at %d of the isolate: %v", int64(slot-isolate), err)
	}
	got, err := r.Scripts(slot, 10)
	if diff := cmp.Diff([]Word{one, two}, got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if got, err := r.Scripts(slot, 1); len(got) != 1 || err != nil {
		t.Errorf("the first: %v, %v", got, err)
	}
	for w, want := range map[Word]bool{one: true, two: true, dead: false, other: false, cleared: false, 0: false} {
		if r.ListsScript(slot, w) != want {
			t.Errorf("0x%x is listed: %v", uint64(w), !want)
		}
	}
	m.Set(Word(isolate+1), 5, smi(0))
	if r.ListsScript(slot, one) {
		t.Error("a script is in no list")
	}
	if slot, err := r.FindScripts(isolate); err == nil {
		t.Errorf("found at %d of an isolate without such a list", int64(slot-isolate))
	}
}

// TestFindScriptsEnds: an isolate that is made so that each root takes long is not read to its end.
func TestFindScriptsEnds(t *testing.T) {
	l := testLayout()
	m := &image{}
	script, other := m.Put(m.class(l.At(layout.TypeScript))), m.Put(m.class(seqOne))
	elements := []Word{0, smi(telling), smi(telling)}
	for range telling - 1 {
		elements = append(elements, script|2)
	}
	list := m.Put(append(elements, other|2)...)
	roots := make([]Word, rootBytes/8)
	for i := range roots {
		roots[i] = list
	}
	r := NewReader(m, l)
	if _, err := r.FindScripts(m.Put(roots...).address()); err == nil || r.Reads() > maxFinding+2*telling {
		t.Errorf("%v, %d reads", err, r.Reads())
	}
}
