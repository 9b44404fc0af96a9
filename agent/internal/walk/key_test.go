package walk

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/test/nodes"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestKnownKey: a key of a Map that was found once is not read again until the next mark-compact, unless V8 may move it
// before: if it is in the new space. What is recorded of a Node.js before 20 does not lead to the request.
func TestKnownKey(t *testing.T) {
	p := bpftest.Load(t)
	versions := slices.DeleteFunc(nodes.Versions(), func(v nodes.Version) bool { return v.Major() < 20 })
	for _, v := range nodes.Drawn(versions, t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			k, r := atRoute(t, p, v.Version, "opentelemetry")
			count := k.counts(t, r.Pages)
			whole := k.sample(t, r.Pages)
			for range 3 { // the heads of pages, and what these refer to, which are read once
				for _, read := range k.once(t, count(r.Pages)).reads {
					r.Keep(read.At, read.Size)
				}
			}
			s, _ := k.raw(t, r.Pages)
			reads := func(pages map[uint64][]byte) (n [2]int) {
				for i := range n {
					s := k.once(t, pages)
					if diff := cmp.Diff(whole.labels, s.labels); diff != "" || len(s.labels) != 1 {
						t.Errorf("sample %d: %s", i, diff)
					}
					n[i] = s.nReads
				}
				return n
			}
			old := reads(count(r.Pages))
			moved := reads(count(onNewPages(r.Pages, s.Isolate+uint64(k.config.V8.Heap), s.Sp&^(memory.PageSize-1))))
			t.Logf("%d reads, if all is in the new space %d", old, moved)
			if old[0] != moved[0] || old[1] >= moved[1] || moved[1] >= moved[0] {
				t.Errorf("%d reads, if all is in the new space %d", old, moved)
			}
		})
	}
}

// onNewPages is a copy of memory in which all pages of V8's heap are of the new space, by their flags: in the second
// word if the third is the heap, else in the first. The stack, of 8 MiB at most, is none.
func onNewPages(pages map[uint64][]byte, heap, stack uint64) map[uint64][]byte {
	const pageSize, newPage, maxStack = 1 << 18, 1<<3 | 1<<4, 8 << 20
	for at, b := range pages {
		if at%pageSize != 0 || at-stack < maxStack {
			continue
		}
		flags := 0
		if binary.LittleEndian.Uint64(b[16:]) == heap {
			flags = 8
		}
		pages = written(pages, at+uint64(flags), binary.LittleEndian.Uint32(b[flags:])|newPage)
	}
	return pages
}
