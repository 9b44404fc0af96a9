package walk

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/v8/layout"
	memory "github.com/hotspan/hotspan/v8/target"
)

// heapAt is where, from an isolate, the test has the Heap: pages say whose they are.
const heapAt = 0xd000

// TestKnownFunction: a function that was met is not read again until the next mark-compact, unless a collection may
// move it before: if it is in the new space.
func TestKnownFunction(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		first := k.withCount(t, r.Pages)
		k.config.V8.Heap = heapAt
		literal := func(i int, pages map[uint64][]byte, compactions uint32) int32 {
			s, _ := k.raw(t, written(pages, countOf(&first), compactions))
			return s.Frames[i].Literal
		}
		tried, kept := 0, 0
		for i, f := range first.Frames {
			at := th.sharedOf(r, &f)
			other := otherFunction(first.Frames, &f)
			youngest := !slices.ContainsFunc(first.Frames[:i], func(f bpf.Frame) bool { return ofV8(&f) })
			if at == 0 || other == nil || youngest {
				continue
			}
			tried++
			for where, flags := range map[string]uint32{"old": 0, "new": 1 << 3} {
				before := onPage(r.Pages, at, first.Isolate+heapAt, flags)
				after := written(written(before, at, uint32(other.Sfi)), at+4, uint32(other.Sfi>>32))
				now := uint32(1000+10*i) + flags/4
				if literal(i, before, now) != f.Literal {
					t.Errorf("frame %d, %s space: another function", i, where)
				}
				switch got := literal(i, after, now); {
				case got == f.Literal && where == "old":
					kept++
				case got != other.Literal: // else another function of the stack has its place
					t.Errorf("frame %d, %s space: function %d, was %d, is %d", i, where, got, f.Literal, other.Literal)
				}
				if literal(i, after, now+1) != other.Literal {
					t.Errorf("frame %d, %s space: kept after a mark-compact", i, where)
				}
			}
		}
		if tried < 3 || kept*2 <= tried {
			t.Errorf("%d of %d functions are kept", kept, tried)
		}
	})
}

// sharedOf returns where the function of a frame refers to what it shares; 0 if that cannot be told: the stack may
// refer to several functions that share it.
func (th *thread) sharedOf(r *memory.Recording, f *bpf.Frame) (at uint64) {
	if !isScripted(f) {
		return 0
	}
	low, high := stackOf(th, r)
	offset := uint64(th.layout.At(layout.JSFunctionShared))
	for page, b := range r.Pages {
		for off := 0; off < len(b); off += 8 {
			word := page + uint64(off)
			if binary.LittleEndian.Uint64(b[off:]) != f.Sfi || page >= low && page < high ||
				!onStack(r, low, high, word-offset+1) {
				continue
			}
			if at != 0 {
				return 0
			}
			at = word
		}
	}
	return at
}

func onStack(r *memory.Recording, low, high, value uint64) bool {
	for page := low; page < high; page += memory.PageSize {
		for off := 0; off+8 <= len(r.Pages[page]); off += 8 {
			if binary.LittleEndian.Uint64(r.Pages[page][off:]) == value {
				return true
			}
		}
	}
	return false
}

// otherFunction returns the frame of a function of the stack that another one can be changed into.
func otherFunction(frames []bpf.Frame, f *bpf.Frame) *bpf.Frame {
	for i := range frames {
		if o := &frames[i]; isScripted(o) && o.Sfi != f.Sfi && o.Literal != f.Literal {
			return o
		}
	}
	return nil
}

// onPage is a copy of memory in which the page of V8's heap that has an address belongs to a heap, and has these
// flags.
func onPage(pages map[uint64][]byte, at, heap uint64, flags uint32) map[uint64][]byte {
	head := at &^ (1<<18 - 1)
	for i, half := range []uint32{0, 0, flags, 0, uint32(heap), uint32(heap >> 32)} {
		pages = written(pages, head+4*uint64(i), half)
	}
	return pages
}
