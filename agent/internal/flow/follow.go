package flow

import (
	"debug/elf"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// Follow follows the code of a file for x86-64 in a span but not in others, from its entry point and all functions that
// it can find. The rules are by rising address. There are none if the code cannot be read, or if it takes too long.
func Follow(f *elf.File, code Span, others []Span) []Rule {
	return follow(f, code, func(w *walker) {
		for _, s := range others {
			w.leaveOut(s)
		}
		w.restorers()
		w.function(f.Entry, true)
		w.functionsOf(f)
	})
}

// FollowEntry is Follow from the entry point only: it reads neither symbols nor relocations.
func FollowEntry(f *elf.File, code Span) []Rule {
	return follow(f, code, func(w *walker) { w.function(f.Entry, true) })
}

func follow(f *elf.File, code Span, begin func(*walker)) []Rule {
	data, err := symbols.Bytes(f, code.Start, code.End-code.Start)
	if err != nil {
		return nil
	}
	w := newWalker(f, data, code.Start)
	begin(w)
	if !w.run() {
		return nil
	}
	return w.rules()
}

// run follows all that can be reached. It is false if that takes too long: then nothing is certain.
func (w *walker) run() bool {
	for len(w.work) > 0 {
		// musl takes a step for each four bytes.
		if w.steps++; w.steps > len(w.code) {
			return false
		}
		v := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		w.step(v)
	}
	return true
}

// rules returns what is known, by rising address.
func (w *walker) rules() (all []Rule) {
	slices.SortStableFunc(w.known, func(a, b instruction) int { return int(a.at) - int(b.at) })
	last := uint64(0)
	for i, in := range w.known {
		if in.size == 0 || !in.state.leads() {
			continue
		}
		end := in.at + uint32(in.size)
		if i+1 < len(w.known) && !in.state.Restorer {
			end = min(end, w.known[i+1].at)
			if next := &w.known[i+1]; next.state.First && next.at == end {
				in.state.First = true // the instruction that ends the stack finds no caller either
			}
		}
		begin := max(last, w.addr+uint64(in.at))
		if last = max(last, w.addr+uint64(end)); begin == last {
			continue // a restorer reaches over it
		}
		if n := len(all); n > 0 && all[n-1].End == begin && all[n-1].State == in.state {
			all[n-1].End = last
			continue
		}
		all = append(all, Rule{Span{begin, last}, in.state})
	}
	return all
}
