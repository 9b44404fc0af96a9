package functions

import (
	"github.com/hotspan/hotspan/v8/functions/repair"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/x86"
)

// codeOf finds the code that holds pc, and that did so when the sample was taken. Nil: there is none, or it cannot be
// told.
func (v *Resolver) codeOf(pc uint64) *code {
	c := v.findCode(pc)
	if c == nil || c.certain > v.code.round && !c.covers(v.moment.MarkCompacts) {
		v.basis.passing = true
		return nil
	}
	v.basis.add(c)
	v.code.use(c)
	return c
}

// findCode finds the code that holds pc now.
func (v *Resolver) findCode(pc uint64) *code {
	if !v.space.Generated(pc) {
		return nil
	}
	old := v.code.find(pc)
	if old != nil && v.holds(old) {
		return old
	}
	if v.misses.has(pc) {
		return nil
	}
	found, err := v.r.FindCode(pc, &v.codeHeader)
	if err != nil {
		v.misses.add(pc)
		return nil
	}
	c := &code{
		Code: found, in: v.number, tier: v.tier(found.Kind), checked: v.code.round, id: heap.Identity{Script: -1},
	}
	v.describe(c)
	if old != nil && old.in == v.number && v.moment.Late && !(c.means(old) && x86.SameInstructions(c.text, old.text)) {
		c.certain = v.code.round + 1 // a sample of this round may be in the old code or in the new
		if n := v.moment.MarkCompacts; v.counts(n) && n == v.countCompacts() && c.isWhole() {
			c.from, c.to = n, n // but this one is in the new
		}
	}
	v.code.put(c)
	return c
}

// means reports whether the tables of two pieces of code at one place say the same: where the instructions are the same
// too, the collector has only moved what belongs to the code.
func (c *code) means(old *code) bool {
	return c.Start == old.Start && c.End == old.End && c.Kind == old.Kind && c.optimized != nil &&
		old.optimized != nil && c.optimized.Equal(old.optimized, func(now, before heap.Word) bool {
		return c.functions[now] != nil && c.functions[now] == old.functions[before]
	})
}

// holds reports whether code is where it was, and reads what could not be read before.
func (v *Resolver) holds(c *code) bool {
	if c.gone || c.in != v.number {
		return false
	}
	if c.covers(v.moment.MarkCompacts) {
		return true
	}
	if c.checked != v.code.round && !v.r.Same(c.Code) {
		return false
	}
	if c.checked != v.code.round && !c.described() {
		v.describe(c)
	}
	c.checked = v.code.round
	return true
}

// Renew says that V8 may have changed its code: what was checked before is checked again. Call it before the frames
// of a sample that was taken since the last call. now is the time, on the clock of Started.
func (v *Resolver) Renew(now int64) {
	v.code.round++
	v.renewed, v.r = now, v.live
	v.checkUsed()
}

// describe reads the tables of code. Where they cannot be read, because the process is changing them, the code is left
// without, and they are read when it is met again.
func (v *Resolver) describe(c *code) {
	if v.room.short() {
		return
	}
	size := maxText
	if v.code.text+maxText > maxAllText {
		size = repair.HeadSize
	}
	v.code.text -= len(c.text)
	c.text, _ = v.r.Instructions(c.Code, size)
	v.code.text += len(c.text)
	switch c.tier {
	case Sparkplug:
		c.baseline, _ = v.r.Baseline(c.Code)
		v.room.take(c.baseline.Size())
	case Maglev, TurboFan:
		v.describeOptimized(c)
	}
}

// describeOptimized reads all functions at once, with no mark-compact meanwhile: that would move them, and the tables
// that lead to them.
func (v *Resolver) describeOptimized(c *code) {
	compacts := v.countCompacts()
	o, err := v.r.Optimized(c.Code)
	if err != nil {
		return
	}
	own, err := v.r.Function(o.Function)
	if err != nil {
		return
	}
	c.functions = map[heap.Word]*function{}
	for _, sfi := range o.Functions() {
		if c.functions[sfi] = v.functionOf(sfi); c.functions[sfi] == nil {
			return
		}
	}
	v.describeDeoptFunctions(c, o)
	if v.countCompacts() != compacts {
		return
	}
	c.optimized, c.id, c.sfi = o, own.Identity, o.Function
	v.room.take(o.Size())
}

// describeDeoptFunctions reads the functions in the deopt frames of Maglev's code, and their bytecode. A call whose
// functions could not all be read is located by the position table.
func (v *Resolver) describeDeoptFunctions(c *code, o *heap.Optimized) {
	for _, sfi := range o.DeoptFunctions() {
		fn := c.functions[sfi]
		if fn == nil {
			if fn = v.functionOf(sfi); fn == nil {
				continue
			}
			c.functions[sfi] = fn
		}
		if fn.script != nil {
			v.bytecode(fn, 0, sfi)
		}
	}
}

// tier gives the tier of a Code object's kind.
func (v *Resolver) tier(kind int) Tier {
	l := v.r.Layout()
	switch kind {
	case l.At(layout.KindBaseline):
		return Sparkplug
	case l.At(layout.KindMaglev):
		return Maglev
	case l.At(layout.KindTurboFan):
		return TurboFan
	}
	return NoTier
}
