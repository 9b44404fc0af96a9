package walk

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestKnownRoot: what is kept of the native frames below V8's holds while each word that leads through them is what it
// was. Of a thread with a word changed the walk is the one without anything kept.
func TestKnownRoot(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		whole := k.same(t, "met first", r)
		root := rootOf(whole)
		if len(root) < 5 {
			t.Fatalf("%d frames below V8's: too few to test anything", len(root))
		}
		k.same(t, "kept", r)
		changed := 0
		for _, at := range leads(th, r, root) {
			k.once(t, r.Pages) // it is kept again
			broken := *r
			broken.Pages = maps.Clone(r.Pages)
			page := at &^ (memory.PageSize - 1)
			b := slices.Clone(r.Pages[page])
			word := b[at-page : at-page+8]
			binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)+16)
			broken.Pages[page] = b
			if w := k.same(t, "a word changed", &broken); len(w.Frames) != len(whole.Frames) ||
				!slices.Equal(rootOf(w), root) {
				changed++
			}
		}
		if changed < len(root)-1 {
			t.Errorf("%d words change the walk of %d frames below V8's", changed, len(root))
		}
	})
}

// rootOf returns the frames from the one on that has entered JavaScript.
func rootOf(w stack.Walk) []stack.WalkFrame {
	for i := len(w.Frames) - 1; i >= 0; i-- {
		if w.Frames[i].Kind != stack.FrameNative {
			return w.Frames[i+1:]
		}
	}
	return nil
}

// leads returns where words of the stack are that may lead from one of the frames to the next: those that are the
// address of one, or of the stack.
func leads(th *thread, r *memory.Recording, root []stack.WalkFrame) (at []uint64) {
	low, high := stackOf(th, r)
	for page := range r.Pages {
		if page < low || page >= high {
			continue
		}
		for off := 0; off < len(r.Pages[page]); off += 8 {
			word := binary.LittleEndian.Uint64(r.Pages[page][off:])
			if word >= low && word < high ||
				slices.ContainsFunc(root, func(f stack.WalkFrame) bool { return f.PC == word }) {
				at = append(at, page+uint64(off))
			}
		}
	}
	return at
}
