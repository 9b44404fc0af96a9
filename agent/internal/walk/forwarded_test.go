package walk

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	memory "github.com/hotspan/hotspan/v8/target"
)

// newPlace is where objects are forwarded to, in a page of its own.
const newPlace = 0x7e00_0000_1000

// TestForwarded: V8's scavenger forwards an object, then writes its hidden class at the new place, and copies the rest.
// Until then there is what was at that place before, such as another object. Whatever object that a sample reads is
// forwarded, and whatever object is at the new place: method and path do not take the place of the route. Once the
// object is copied, the label is read nevertheless.
func TestForwarded(t *testing.T) {
	k, r := atRoute(t, bpftest.Load(t), "24.21.0", "opentelemetry")
	s, _ := k.raw(t, r.Pages)
	collecting := withByte(r.Pages, s.Isolate+uint64(k.config.V8.VmState), bpf.VMStateGC)
	k.sample(t, collecting)
	heads := headsOf(k.heapWords(&r.Recording, k.once(t, collecting)), r)
	ofClass := map[uint64]uint64{} // any object
	for head, class := range heads {
		ofClass[class] = head
	}
	missing, copied := 0, 0
	for _, head := range slices.Sorted(maps.Keys(heads)) {
		ofClass[heads[head]] = head // of the others of its class it would take but the class
		for _, stale := range ofClass {
			there := make([]byte, memory.PageSize)
			if _, err := r.ReadAt(there[:256], int64(stale)); err != nil {
				t.Fatal(err)
			}
			pages := withWord(collecting, head, newPlace)
			pages[newPlace] = there
			got := k.once(t, pages).labels
			switch right := len(got) == 1 && got[0].Str == "/orders/:id"; {
			case len(got) > 1 || len(got) == 1 && !right:
				t.Errorf("0x%x is forwarded to where 0x%x is: %v", head, stale, got)
			case !right:
				missing++
			case stale == head:
				copied++
			}
		}
	}
	t.Logf("%d objects: %d have labels once they are copied, %d pairs have none", len(heads), copied, missing)
	if copied < len(heads)*9/10 || missing < 100 {
		t.Error("the test is for nothing")
	}
}

// headsOf returns those words that begin an object, by address: its hidden class, whose own class is that of classes.
func headsOf(words []uint64, r *memory.Recorder) map[uint64]uint64 {
	word := func(at uint64) uint64 {
		var b [8]byte
		if _, err := r.ReadAt(b[:], int64(at)); err != nil {
			return 0
		}
		return binary.LittleEndian.Uint64(b[:])
	}
	heads := map[uint64]uint64{}
	for _, at := range words {
		class := word(at)
		if class&3 != 1 {
			continue
		}
		if of := word(class - 1); of&3 == 1 && word(of-1) == of && class != of {
			heads[at] = class
		}
	}
	return heads
}

func withByte(pages map[uint64][]byte, at uint64, b byte) map[uint64][]byte {
	out := maps.Clone(pages)
	page := slices.Clone(out[at&^0xfff])
	page[at&0xfff] = b
	out[at&^0xfff] = page
	return out
}
