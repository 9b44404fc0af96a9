package functions

import (
	"encoding/binary"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/target"
)

// V8 frees code, and moves it, in mark-compacts only, which each isolate counts. Code that a sample is in lives: so it
// was at its place as long as the count was that of the sample, whatever comes there later. Code that no sample is in
// may be dead: its place can be used again at the same count, when it has been swept.

// covers reports whether a sample was in the code, by the mark-compacts that its isolate had had.
func (c *code) covers(compacts uint64) bool {
	return c.from != 0 && c.from <= compacts && compacts <= c.to
}

// isWhole reports whether all of a piece of code is kept: nothing of it need be read when it may be gone.
func (c *code) isWhole() bool { return c.described() && len(c.text) == int(c.End-c.Start) }

// counts reports whether a count is known, and not that of another isolate at the same address, which counts anew.
func (v *Resolver) counts(compacts uint64) bool { return compacts != 0 && len(v.times) > 0 }

// sampledIn notes that a frame of the current sample is in a piece of code, which was there after it was taken: at the
// same count, if that was read later still.
func (v *Resolver) sampledIn(c *code, raw stack.RawFrame) {
	n := v.moment.MarkCompacts
	read := c.counted == v.code.round && c.isWhole()
	if !read || raw.ID.Script < 0 || !v.counts(n) || n != v.isolate.compacts {
		return
	}
	if c.from == 0 || n > c.to+1 { // in between it may have been elsewhere
		c.from = n
	}
	c.to = n
}

// checkUsed checks at once the code that samples were in lately, and the isolate of the last one: samples to come will
// be in most of it. Where a piece cannot be read, those behind it are not read either: it is checked when it is met
// again. What no mark-compact can have freed is not read.
func (v *Resolver) checkUsed() {
	round := v.code.round
	v.code.keepUsed(func(c *code) bool { return !c.gone && round-c.used <= checkedFor })
	if len(v.code.used) == 0 {
		return
	}
	isolates := v.usedLately()
	stays := func(c *code) bool {
		i := slices.IndexFunc(isolates, func(i *isolate) bool { return i.number == c.in })
		return i >= 0 && c.covers(isolates[i].compacts)
	}
	unsure := func() []*code {
		is := func(c *code) bool { return c.counted == round || stays(c) }
		return slices.DeleteFunc(slices.Clone(v.code.used), is)
	}
	v.check(unsure(), isolates)
	if freed := unsure(); len(freed) > 0 { // the count is another now
		v.check(freed, isolates)
	}
	v.code.keepUsed(func(c *code) bool {
		if stays(c) {
			c.checked = round
		}
		return c.checked == round
	})
}

// check reads pieces of code, whether the isolate of the last sample lives, and behind them the counts of isolates.
func (v *Resolver) check(used []*code, isolates []*isolate) {
	all := make([]*heap.Code, len(used))
	for i, c := range used {
		all[i] = c.Code
	}
	times := v.times.parts()
	parts := slices.Concat(times, v.countParts(isolates))
	read := v.r.AllSame(all, parts, func(i int) {
		if used[i].described() {
			used[i].checked, used[i].counted = v.code.round, v.code.round
		}
	})
	if v.times.are(times[:min(read, len(times))]) {
		v.isolate.checked = v.code.round
	}
	for n, i := range isolates {
		if i.compacts = 0; len(times)+n < read {
			i.compacts = compactsOf(parts[len(times)+n])
		}
	}
}

// countCompacts counts the mark-compacts of the current isolate, and 1. 0 = not known, or one is under way.
func (v *Resolver) countCompacts() uint64 {
	parts := v.countParts([]*isolate{v.isolate})
	if len(parts) == 0 || v.r.AllSame(nil, parts, nil) == 0 {
		return 0
	}
	return compactsOf(parts[0])
}

// compacted reports whether a mark-compact has begun since the current sample was taken, as far as that is known.
func (v *Resolver) compacted() bool {
	n := v.moment.MarkCompacts
	return n != 0 && n != v.countCompacts()
}

// undisturbed has read read objects of V8's old space until no mark-compact has begun meanwhile, and reports whether
// that was so in the end. Else objects may have been moved, and others put where they were. disturbed is to undo what
// read has kept.
func (v *Resolver) undisturbed(read func() bool, disturbed func()) bool {
	before := v.moment.MarkCompacts
	if before == 0 {
		before = v.countCompacts()
	}
	for range 3 {
		if !read() {
			return false
		}
		now := v.countCompacts()
		if now == before {
			return true
		}
		disturbed()
		v.r.Forget()
		before = now
	}
	return false
}

// maxHeapState is how far V8's count of mark-compacts may be behind the state of the heap, in bytes.
const maxHeapState = 64

// countParts are where isolates have the state of the heap, and behind it their counts of mark-compacts; none, if that
// is not known.
func (v *Resolver) countParts(of []*isolate) (parts []target.Part) {
	l := v.r.Layout()
	from := l.At(layout.IsolateHeap) + l.At(layout.HeapGCState)
	size := l.At(layout.HeapMSCount) + 4 - l.At(layout.HeapGCState)
	if !l.Has(layout.IsolateHeap) || !l.Has(layout.HeapGCState) || !l.Has(layout.HeapMSCount) || size < 8 ||
		size > maxHeapState {
		return nil
	}
	for _, i := range of {
		parts = append(parts, target.Part{At: i.key.address + uint64(from), To: make([]byte, size)})
	}
	return parts
}

func compactsOf(p target.Part) uint64 {
	if layout.GCState(binary.LittleEndian.Uint32(p.To)) == layout.MarkCompact {
		return 0
	}
	return 1 + uint64(binary.LittleEndian.Uint32(p.To[len(p.To)-4:]))
}

// usedLately are the isolates that samples were in lately.
func (v *Resolver) usedLately() (all []*isolate) {
	for _, i := range v.isolates {
		if v.code.round-i.used <= checkedFor {
			all = append(all, i)
		}
	}
	return all
}
