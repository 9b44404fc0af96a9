package functions

import (
	"github.com/hotspan/hotspan/v8/functions/repair"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/optimized"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// codeOf finds the code that holds pc, and that did so when the sample was taken. Nil: there is none, or it cannot be
// told. Where nothing was known of the place before, only the function in a frame tells whether this is its code: for
// others there is provenCode.
func (v *Resolver) codeOf(pc uint64) *code {
	c := v.findCode(pc)
	if c == nil || c.replaced && v.mayPrecede(c) {
		v.basis.passing = true
		return nil
	}
	v.basis.add(c)
	v.code.use(c)
	return c
}

// provenCode is codeOf for a frame that does not say which function's it is: the code was at its place when the sample
// was taken, whatever is known of the place.
func (v *Resolver) provenCode(pc uint64) *code {
	c := v.codeOf(pc)
	if c != nil && v.mayPrecede(c) {
		v.basis.passing = true
		return nil
	}
	return c
}

// codeIn finds the code of a frame. Where both are a function's, the caller compares the functions: other code may have
// come to the place since.
func (v *Resolver) codeIn(raw stack.RawFrame) *code {
	c := v.codeOf(raw.PC)
	if c == nil {
		return nil
	}
	runs := raw.Marker < 0 && raw.ID.Script >= 0
	if runs && (c.tier != NoTier || v.isEntry(c)) {
		return c
	}
	return v.provenCode(raw.PC)
}

// mayPrecede reports whether the current sample may have been in what was at the place of some code before: it was
// taken before the code was found, and V8 may have used the place again meanwhile.
func (v *Resolver) mayPrecede(c *code) bool {
	n := v.moment.MarkCompacts
	switch {
	case v.moment.Taken >= c.found, c.covers(n):
		return false
	case v.counts(n):
		return n != c.compacts
	}
	return c.found-v.moment.Taken > lateAfter
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
	if v.misses.has(pc) || v.vain.Rests() || v.rests() {
		return nil
	}
	before := v.r.Work()
	found, err := v.r.FindCode(pc, &v.codeHeader)
	if err != nil {
		v.misses.add(pc)
		v.vain.Add(v.r.Work() - before)
		return nil
	}
	c := &code{
		Code: found, in: v.number, tier: v.tier(found.Kind), checked: v.code.round, tables: unread,
	}
	v.describe(c)
	c.found = v.now()
	if old != nil && old.in == v.number {
		c.replaced = !c.isLike(old)
		if !c.replaced {
			c.take()
		}
	}
	v.code.put(c)
	return c
}

// isLike reports whether two pieces of code at one place have the same instructions, and tables that say the same: then
// the collector has only moved what belongs to the code.
func (c *code) isLike(old *code) bool {
	t := &c.tables
	if c.unsure != nil {
		t = c.unsure
	}
	return c.Start == old.Start && c.End == old.End && c.Kind == old.Kind && t.mean(&old.tables) &&
		x86.SameInstructions(c.text, old.text)
}

func (t *tables) mean(old *tables) bool {
	return t.optimized != nil && old.optimized != nil &&
		t.optimized.Equal(old.optimized, func(now, before heap.Word) bool {
			return t.functions[now] != nil && t.functions[now] == old.functions[before]
		})
}

// holds reports whether code is where it was, and reads what could not be read before.
func (v *Resolver) holds(c *code) bool {
	if c.gone || c.in != v.number {
		return false
	}
	n := v.moment.MarkCompacts
	if c.covers(n) {
		return true
	}
	checked := c.checked == v.code.round
	if !checked && !v.r.Same(c.Code) {
		return false
	}
	if c.unsure == nil && !c.described() && (!checked || n != c.tried) {
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
// without, and they are read when it is met again. What is read after a mark-compact counts once a sample was in the
// code after that (outlives): code that has died refers to places that are used again, and stays as it was for as long
// as its own is not.
func (v *Resolver) describe(c *code) {
	c.tried = v.moment.MarkCompacts
	if v.room.short() || v.rests() {
		return
	}
	size := maxText
	if v.code.text+maxText > maxAllText {
		size = repair.HeadSize
	}
	v.code.text -= len(c.text)
	c.text, _ = v.r.Instructions(c.Code, size)
	v.code.text += len(c.text)
	var t tables
	read := func() (ok bool) {
		t, ok = v.readTables(c)
		return ok && v.r.Same(c.Code)
	}
	sure := v.asSampled(read, func() {})
	known := sure || v.compacted && v.consistent(read, func() {})
	c.compacts = v.countCompacts()
	switch {
	case sure:
		c.tables = t
	case known && c.compacts != 0: // in a mark-compact nothing tells when the code has outlived that
		c.unsure, c.unsureAt = &t, c.compacts
	default:
		t = unread // which takes no room
	}
	v.room.take(t.baseline.Size() + t.optimized.Size())
}

func (v *Resolver) readTables(c *code) (t tables, ok bool) {
	t = unread
	switch c.tier {
	case Sparkplug:
		t.baseline, _ = v.r.Baseline(c.Code)
		return t, t.baseline != nil
	case Maglev, TurboFan:
		return t, v.readOptimized(c, &t)
	}
	return t, true
}

func (v *Resolver) readOptimized(c *code, t *tables) bool {
	o, err := optimized.Read(v.r, c.Code)
	if err != nil {
		return false
	}
	if o.Function == 0 {
		t.optimized = o
		return true
	}
	own, err := v.r.Function(o.Function)
	if err != nil {
		return false
	}
	t.functions = map[heap.Word]*function{}
	for _, sfi := range o.Functions() {
		if t.functions[sfi] = v.functionOf(sfi); t.functions[sfi] == nil {
			return false
		}
	}
	if v.readDeoptFunctions(o, t); v.rests() {
		return false
	}
	t.optimized, t.id, t.sfi = o, own.Identity, o.Function
	return true
}

// readDeoptFunctions reads the functions in the deopt frames of Maglev's code, and their bytecode. A call whose
// functions could not all be read is located by the position table.
func (v *Resolver) readDeoptFunctions(o *optimized.Tables, t *tables) {
	for _, sfi := range o.DeoptFunctions() {
		fn := t.functions[sfi]
		if fn == nil {
			if fn = v.functionOf(sfi); fn == nil {
				continue
			}
			t.functions[sfi] = fn
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
