package walk

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/v8/layout"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestEpoch: what functions share is read again after a mark-compact, in a collection and for another process, as its
// place may be another's then; else the BPF program keeps what it has read.
func TestEpoch(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		first := k.withCount(t, r.Pages)
		tried := 0
		for i, f := range first.Frames {
			if !isScripted(&f) {
				continue
			}
			more := func(pages map[uint64][]byte, compactions uint32) int32 { // than its true literal id
				s, _ := k.raw(t, written(pages, countOf(&first), compactions))
				return s.Frames[i].Literal - f.Literal
			}
			other := written(r.Pages, f.Sfi-1+uint64(th.layout.At(layout.SFIFunctionLiteralID)), uint32(f.Literal)+1)
			now := uint32(10 * i)
			if first, kept := more(r.Pages, now), more(other, now); first != 0 || kept != 0 {
				continue // the youngest frame, or another function of the stack has its place
			}
			if tried++; more(other, now+1) != 1 {
				t.Error("kept after a mark-compact")
			}
			more(r.Pages, now+2)
			state := first.Isolate + uint64(k.config.V8.VmState)
			if more(written(other, state, uint32(layout.VMStateGC)), now+2) != 1 {
				t.Error("kept in a collection")
			}
			more(r.Pages, now+3)
			if k.config.Id++; more(other, now+3) != 1 {
				t.Error("kept for another process")
			}
		}
		if tried < 3 {
			t.Errorf("%d functions are kept", tried)
		}
	})
}

// stateAt is where, from an isolate, the tests have the state of the heap, behind which is its count of mark-compacts:
// older recordings do not say where V8 has it.
const stateAt = 0xe000

func countOf(s *sampler.Sample) uint64 { return s.Isolate + stateAt + 24 }

// withCount has the BPF program read the count, and returns a sample.
func (k *kernelWalk) withCount(t *testing.T, pages map[uint64][]byte) sampler.Sample {
	t.Helper()
	k.config.V8.IsolateTls = k.thread.isolate
	s, _ := k.raw(t, pages)
	k.config.V8.GcState, k.config.V8.MsCount = stateAt, 24
	return s
}

func isScripted(f *bpf.Frame) bool { return f.Kind == bpf.FrameJS && f.Script >= 0 }

// TestGuessed: nothing is kept of the youngest frame in V8's code, which may have no function yet.
func TestGuessed(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		first := k.withCount(t, r.Pages)
		pages := written(r.Pages, countOf(&first), 1)
		i := slices.IndexFunc(first.Frames, func(f bpf.Frame) bool { return isScripted(&f) })
		f := first.Frames[i]
		if slices.ContainsFunc(first.Frames[i+1:], func(o bpf.Frame) bool { return o.Sfi == f.Sfi }) {
			t.Fatal("the function is on the stack twice")
		}
		k.raw(t, pages)
		s, _ := k.raw(t, written(pages, f.Sfi-1+uint64(th.layout.At(layout.SFIFunctionLiteralID)), uint32(f.Literal)+1))
		youngest := !slices.ContainsFunc(first.Frames[:i], func(f bpf.Frame) bool { return ofV8(&f) })
		if kept := s.Frames[i].Literal == f.Literal; kept == youngest {
			t.Errorf("frame %d is kept: %v; it is the youngest of V8's: %v", i, kept, youngest)
		}
	})
}

func ofV8(f *bpf.Frame) bool { return f.Kind == bpf.FrameJS || f.Kind == bpf.FrameTyped }

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
