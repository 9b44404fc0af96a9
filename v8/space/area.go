package space

import (
	"cmp"
	"slices"

	"github.com/hotspan/hotspan/v8/layout"
)

const (
	isolateWords = 0x14000 / word // Isolate and, inside of it, Heap
	spaceWords   = 0x1000 / word  // of each thing that they point to, such as spaces and allocators
)

// areasOf finds the areas of a heap by what they are: three words in a row that are addresses on one page, the later
// ones not lower. They are in the Isolate, in spaces, or in allocators, by version. (src/heap/linear-allocation-area.h:
// start, top, limit)
func (h *Heap) areasOf(of uint64) []area {
	start := of - uint64(max(0, h.l.At(layout.IsolateHeap)))
	isolate := upTo(h.mem, start, isolateWords)
	out := h.areasIn(start, isolate)
	seen := map[uint64]bool{}
	for _, w := range isolate {
		inside := w >= start && w < start+isolateWords*word
		if w%word == 0 && !inside && h.inRange(w) && !seen[w] {
			seen[w] = true
			out = append(out, h.areasIn(w, upTo(h.mem, w, spaceWords))...)
		}
	}
	slices.SortStableFunc(out, func(a, b area) int { return cmp.Compare(a.at, b.at) })
	return slices.Compact(out)
}

// inRange reports whether an address is in memory that is not of a file: some thousand words of an Isolate are
// addresses of V8's code.
func (h *Heap) inRange(at uint64) bool {
	i, found := slices.BinarySearchFunc(h.ranges, at, func(r Range, at uint64) int { return cmp.Compare(r.Start, at) })
	return found || i > 0 && at < h.ranges[i-1].End
}

func (h *Heap) areasIn(at uint64, w []uint64) (out []area) {
	for i := 0; i+2 < len(w); i++ {
		if w[i] > w[i+1] || w[i+1] > w[i+2] || (w[i]|w[i+1]|w[i+2])%word != 0 {
			continue
		}
		if p := h.pageOf(w[i]); p != nil && w[i+2] <= p.end {
			out = append(out, area{w[i+1], w[i+2], at + word*uint64(i)})
		}
	}
	return out
}

// empty are the areas of a page, as they are now: where each ends by where it begins.
func (h *Heap) empty(p *page) map[uint64]uint64 {
	out := map[uint64]uint64{}
	for _, a := range h.areas[p.heap] {
		if h.live {
			w, ok := words(h.mem, a.at, 3)
			if !ok {
				continue
			}
			a.top, a.limit = w[1], w[2]
		}
		if p.start <= a.top && a.top < a.limit && a.limit <= p.end && (a.top|a.limit)%word == 0 {
			if out[a.top] = a.limit; p.isNew() { // the limit may be lower than the end, for V8 to be called in time
				out[a.top] = p.end
			}
		}
	}
	return out
}
