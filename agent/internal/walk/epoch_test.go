package walk

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/v8/layout"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestEpoch: what functions share is read again after a mark-compact, in a collection and for another process, as its
// place may be another's then; else the BPF program keeps what it has read.
func TestEpoch(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		k.config.V8.IsolateTls = th.isolate
		s, _ := k.raw(t, r.Pages)
		k.config.V8.GcState, k.config.V8.MsCount = 0xe000, 24 // older recordings do not say where
		count, state := s.Isolate+0xe000+24, s.Isolate+uint64(k.config.V8.VmState)
		for i, f := range s.Frames {
			if f.Kind != bpf.FrameJS || f.Script < 0 {
				continue
			}
			literal := f.Sfi - 1 + uint64(th.layout.At(layout.SFIFunctionLiteralID))
			other := written(r.Pages, literal, uint32(f.Literal)+1)
			more := func(pages map[uint64][]byte, compactions uint32) int32 { // than its true literal id
				s, _ := k.raw(t, written(pages, count, compactions))
				return s.Frames[i].Literal - f.Literal
			}
			compactions := uint32(10 * i)
			if first, kept := more(r.Pages, compactions), more(other, compactions); first != 0 || kept != 0 {
				continue // another function of the stack takes its place
			}
			if more(other, compactions+1) != 1 {
				t.Error("kept after a mark-compact")
			}
			more(r.Pages, compactions+2)
			if more(written(other, state, uint32(layout.VMStateGC)), compactions+2) != 1 {
				t.Error("kept in a collection")
			}
			more(r.Pages, compactions+3)
			if k.config.Id++; more(other, compactions+3) != 1 {
				t.Error("kept for another process")
			}
			return
		}
		t.Error("nothing is kept")
	})
}

// written is a copy of memory with a 32-bit number at an address.
func written(pages map[uint64][]byte, at uint64, n uint32) map[uint64][]byte {
	out := maps.Clone(pages)
	page := slices.Clone(out[at&^0xfff])
	if page == nil {
		page = make([]byte, memory.PageSize)
	}
	binary.LittleEndian.PutUint32(page[at&0xfff:], n)
	out[at&^0xfff] = page
	return out
}
