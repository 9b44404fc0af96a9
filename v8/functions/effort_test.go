package functions

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/v8/heap"
)

// TestNamingRests: a process of which each frame is another function does not keep hotspan from other samples. What was
// read before is still named, and after the rest what is new is, too.
func TestNamingRests(t *testing.T) {
	m, v := newScriptSpace()
	m.scriptAt(sharedFunction, 1, 0)
	v.Bound()
	v.Begin(Moment{Isolate: 1, Thread: 1})
	nth := func(i uint64) *function {
		m.word(sharedFunction+8, i)
		return v.function(heap.Identity{Script: 1, Literal: int32(i)}, sharedFunction|1)
	}
	began, named := time.Now(), uint64(0)
	for i := range uint64(maxNaming / 2) {
		if nth(i) != nil {
			named = i + 1
		}
	}
	most := maxNaming + 100 + int(namingEach*time.Since(began).Seconds())
	if n := v.r.Work(); n < maxNaming || n > most {
		t.Errorf("%d functions took %d reads, not at most %d", named, n, most)
	}
	if !v.Rested() || nth(named-1) == nil {
		t.Errorf("rested %v, or a function that was read is not known", v.Rested())
	}
	v.naming = heap.NewEffort(maxNaming, namingEach)
	if fn := nth(named + 1); fn == nil || fn.script.Name != "eval" {
		t.Errorf("%+v after a rest", fn)
	}
}
