package stack

import (
	"slices"
	"sort"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// maxCodes bounds the pieces of machine code that are kept of one process.
const maxCodes = 1 << 15

// code is a piece of machine code that was seen.
type code struct {
	*heap.Code
	tier      Tier
	optimized *heap.Optimized
	functions map[heap.Word]*function // of the optimised code: its own and those inlined
	baseline  *heap.Baseline
	id        heap.Identity // of the function, where the code tells
	sfi       heap.Word     //
	checked   uint64        // epoch in which it was last found unchanged
	head      []byte        // first instructions
	proper    int           // size of the code proper; what runs rarely is behind it; 0: not looked for yet
	frames    []*Frame      // of a regular expression's code
}

// codes keeps code by address.
type codes struct {
	all   []*code // sorted, without overlaps
	epoch uint64
}

func (c *codes) find(pc uint64) *code {
	i := sort.Search(len(c.all), func(i int) bool { return c.all[i].End >= pc })
	if i < len(c.all) && pc >= c.all[i].Start {
		return c.all[i]
	}
	return nil
}

// put adds n and drops what it overlaps.
func (c *codes) put(n *code) {
	if len(c.all) >= maxCodes {
		c.all = nil
	}
	low := sort.Search(len(c.all), func(i int) bool { return c.all[i].End > n.Start })
	high := sort.Search(len(c.all), func(i int) bool { return c.all[i].Start >= n.End })
	c.all = slices.Replace(c.all, low, max(low, high), n)
}

func (c *codes) drop(old *code) {
	if i := slices.Index(c.all, old); i >= 0 {
		c.all = slices.Delete(c.all, i, i+1)
	}
}

// codeOf finds the code that holds pc now. Nil: there is none.
func (v *Resolver) codeOf(pc uint64) *code {
	if !v.space.Generated(pc) {
		return nil
	}
	c := v.code.find(pc)
	if c != nil && c.checked == v.code.epoch {
		return c
	}
	if c != nil && v.r.Same(c.Code) {
		c.checked = v.code.epoch
		if !c.described() {
			v.describe(c)
		}
		return c
	}
	if c != nil {
		v.code.drop(c)
	}
	if v.missed(pc) {
		return nil
	}
	found, err := v.r.FindCode(pc)
	if err != nil {
		v.miss(pc)
		return nil
	}
	c = &code{Code: found, tier: v.tier(found.Kind), checked: v.code.epoch, id: heap.Identity{Script: -1}}
	v.describe(c)
	v.code.put(c)
	return c
}

// Where there is no code is remembered for some samples: to look for it takes hundreds of reads.
const (
	missEpochs = 1000
	maxMisses  = 1 << 14
)

func (v *Resolver) missed(pc uint64) bool {
	epoch, ok := v.misses[pc]
	return ok && v.code.epoch-epoch < missEpochs
}

func (v *Resolver) miss(pc uint64) {
	if len(v.misses) >= maxMisses {
		clear(v.misses)
	}
	v.misses[pc] = v.code.epoch
}

func (c *code) described() bool {
	return c.tier == NoTier || c.baseline != nil || c.optimized != nil
}

// describe reads the tables of code. Where they cannot be read, because the process is changing them, the code is left
// without, and they are read when it is met again.
func (v *Resolver) describe(c *code) {
	c.head, _ = v.r.Instructions(c.Code, headSize)
	switch c.tier {
	case Sparkplug:
		c.baseline, _ = v.r.Baseline(c.Code)
	case Maglev, TurboFan:
		v.describeOptimized(c)
	}
}

// describeOptimized reads all functions at once: the tables that lead to them move.
func (v *Resolver) describeOptimized(c *code) {
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
		if c.functions[sfi] = v.called(sfi); c.functions[sfi] == nil {
			return
		}
	}
	v.describeDeoptFunctions(c, o)
	c.optimized, c.id, c.sfi = o, own.Identity, o.Function
}

// machine resolves a frame whose pc is in code made at run time.
func (v *Resolver) machine(raw RawFrame) []*Frame {
	if fs := v.WebAssembly(raw); fs != nil {
		return fs
	}
	c := v.codeOf(raw.PC)
	switch {
	case c == nil && raw.Marker < 0 && raw.ID.Script >= 0:
		return v.nameOnly(raw, NoTier)
	case c == nil:
		return jitFrames
	case c.Kind == v.r.Layout().At(layout.KindRegexp):
		return v.regexp(c, raw)
	case c.tier == NoTier:
		return jitFrames
	}
	key := point{id: raw.ID, code: c, at: int(raw.PC - c.Start), tier: c.tier, exact: raw.Exact}
	if fs := v.points[key]; fs != nil {
		return fs
	}
	fs := v.calls(c, raw)
	if fs == nil {
		return v.nameOnly(raw, c.tier)
	}
	return v.keep(key, fs...)
}

func (v *Resolver) calls(c *code, raw RawFrame) []*Frame {
	at := int(raw.PC - c.Start)
	if raw.Exact {
		at++ // the tables are asked for the instruction that is left of a return address
	}
	if c.tier == Sparkplug {
		if raw.Bytecode != 0 && !v.compiledFrom(c, raw) || c.baseline == nil {
			return nil
		}
		return v.baselineCall(c, raw, at)
	}
	if c.optimized == nil || (raw.ID != c.id && raw.ID.Script >= 0) {
		return nil
	}
	if fs := v.deoptFrames(c, raw); fs != nil {
		return fs
	}
	if c.optimized.InDeoptExits(at) {
		return v.framesAtExit(c, raw)
	}
	calls := c.optimized.Calls(v.positioned(c, at-1))
	var fs []*Frame
	for i, call := range calls {
		fn := c.functions[call.Function]
		if fn == nil {
			return nil
		}
		f := fn.frame(c.tier)
		v.locate(f, fn, call.Source)
		f.Inlined = i < len(calls)-1
		fs = append(fs, f)
	}
	return fs
}

// called reads a function that optimised code refers to.
func (v *Resolver) called(sfi heap.Word) *function {
	f, err := v.r.Function(sfi)
	if err != nil {
		return nil
	}
	return v.function(f.Identity, sfi)
}

func (v *Resolver) baselineCall(c *code, raw RawFrame, at int) []*Frame {
	fn := v.function(raw.ID, raw.SFI)
	if fn == nil {
		return stale(Sparkplug)
	}
	f := fn.frame(Sparkplug)
	offset, err := v.r.Offset(c.baseline, at)
	if err != nil {
		f.Lost = LostOffset
		return []*Frame{f}
	}
	if len(v.owners) >= maxFunctions {
		clear(v.owners)
	}
	v.owners[c.baseline.Array] = owner{raw.ID, raw.SFI}
	v.locate(f, fn, sourceAt(c.baseline.Bytecode.Positions, offset))
	return []*Frame{f}
}

// nameOnly is a frame whose code is gone: its function is known, the point of execution is not. What was inlined there
// is not known either, and a frame says so.
func (v *Resolver) nameOnly(raw RawFrame, t Tier) []*Frame {
	fn := v.function(raw.ID, raw.SFI)
	if fn == nil {
		return stale(t)
	}
	f := fn.frame(t)
	f.Lost = LostCode
	return []*Frame{goneFrame, f}
}

var goneFrame = &Frame{Name: "[code gone]", Kind: JIT, Lost: LostCode}

var (
	regexpFrames = []*Frame{{Name: "[regexp]", Kind: Regexp}}
	jitFrames    = []*Frame{{Name: "[jit]", Kind: JIT}}
)
