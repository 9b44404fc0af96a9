package walk

import (
	"testing"

	"github.com/cilium/ebpf"
	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestKeptClasses: where objects of a hidden class keep stores, and values, counts for the thread in whose isolate the
// class is, and until that has collected all of its garbage. Then another class may be at its address, with as many
// descriptors in the same place.
func TestKeptClasses(t *testing.T) {
	resources := 0
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		first := k.withCount(t, r.Pages)
		after := func(compactions uint32) map[uint64][]byte { return written(r.Pages, countOf(&first), compactions) }
		const now = 1000
		whole := k.sample(t, after(now))
		if len(whole.labels) == 0 {
			return // the recordings of the oldest have no stores
		}
		// Nothing is where it says, if it counts in the sample before which so many mark-compacts were.
		mislead := func(compactions uint64, otherThread uint32) (kept int) {
			kept += misleading(t, p.Objects.Resources, k.config.Id, compactions, otherThread, func(r *bpf.Resource) {
				r.PublicSlot, r.ContextSlot, r.N_stores = 0, 0, 0
			})
			resources += kept
			return kept + misleading(t, p.Objects.Shapes, k.config.Id, compactions, otherThread, func(s *bpf.Shape) {
				clear(s.Slots[:])
			})
		}
		// a CPU keeps what it knows until the next one
		if kept := mislead(now+1, 0); kept == 0 || len(k.once(t, after(now)).labels) == 0 {
			t.Fatalf("%d classes are kept", kept)
		}
		if s := k.once(t, after(now+1)); len(s.labels) > 0 {
			t.Errorf("what is known is not used: %v", s.labels)
		}
		k.forget(t)
		k.sample(t, after(now+2))
		for i, of := range []struct {
			compactions uint64
			otherThread uint32
		}{{now + 2, 0}, {now + 4, 1}} {
			mislead(of.compactions, of.otherThread)
			if diff := cmp.Diff(whole.labels, k.once(t, after(now+3+uint32(i))).labels); diff != "" {
				t.Errorf("after what was known of %+v: %s", of, diff)
			}
		}
	})
	if resources == 0 {
		t.Error("no recording has async_hooks")
	}
}

// misleading changes what a process is known to have, and says that it was learned after so many mark-compacts, in
// another thread or in the same. It returns how much that is.
func misleading[V any](t *testing.T, m *ebpf.Map, id uint32, compactions uint64, otherThread uint32,
	change func(*V)) int {
	t.Helper()
	var key bpf.ShapeKey
	var value V
	found := map[bpf.ShapeKey]V{}
	for all := m.Iterate(); all.Next(&key, &value); {
		if key.Process == id {
			found[key] = value
		}
	}
	for key, value := range found {
		if err := m.Delete(key); err != nil {
			t.Fatal(err)
		}
		key.MarkCompacts, key.Thread = 1+compactions, key.Thread+otherThread
		change(&value)
		if err := m.Put(key, value); err != nil {
			t.Fatal(err)
		}
	}
	return len(found)
}
