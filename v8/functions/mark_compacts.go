package functions

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
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

// outlives takes over what was read of code when it may have died, if the current sample, which has a frame in it, was
// taken after the same mark-compact, or a later one: then it had not.
func (v *Resolver) outlives(c *code, raw stack.RawFrame) {
	n := v.moment.MarkCompacts
	if c.unsure == nil || !v.counts(n) || n < c.unsureAt || raw.ID.Script < 0 {
		return
	}
	if c.unsure.id == raw.ID || c.unsure.id == unread.id {
		c.take()
	}
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

// usedLately are the isolates that samples were in lately.
func (v *Resolver) usedLately() (all []*isolate) {
	for _, i := range v.isolates {
		if v.code.round-i.used <= checkedFor {
			all = append(all, i)
		}
	}
	return all
}
