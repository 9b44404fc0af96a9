package heap

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/v8/layout"
)

// Optimized is what is kept of a Code object of an optimising compiler.
type Optimized struct {
	Positions  Positions
	Function   Word // SharedFunctionInfo; 0: the code does not say, nor which functions are inlined
	inlined    []inlinedCall
	sites      []site // of Maglev's code, by offset
	deoptExits int    // offset of the deopt exits, behind the code proper; 0 = not known
	exitSize   int
	exits      [][]DeoptFrame // frames at each deopt exit, of Maglev's code without positions; nil = not known
}

// Size is how many bytes it takes, roughly.
func (o *Optimized) Size() int {
	if o == nil {
		return 0
	}
	n := o.Positions.Size() + 32*len(o.inlined)
	for _, s := range o.sites {
		n += 64 + 64*len(s.frames)
	}
	for _, frames := range o.exits {
		n += 64 + 64*len(frames)
	}
	return n
}

type inlinedCall struct {
	at       Position // of the call, in the function that it is inlined in
	function Word     // SharedFunctionInfo
}

// Call is a point of execution: a function and an offset in its script's source, -1 for none.
type Call struct {
	Function Word // SharedFunctionInfo
	Source   int
}

// Optimized reads tables and deoptimisation data. (src/objects/deoptimization-data.h) Until V8 10 code that cannot be
// deoptimised has no such data. (src/compiler/backend/code-generator.cc, GenerateDeoptimizationData)
func (r *Reader) Optimized(c *Code) (*Optimized, error) {
	o := &Optimized{}
	data := c.word(r.l.At(layout.CodeDeoptData))
	if n, err := r.field(data, layout.FixedArrayLength); err == nil && n == 0 {
		o.Positions, err = r.codePositions(c)
		return o, err
	}
	sfi, err := r.element(data, r.l.At(layout.DeoptSFI))
	if err != nil {
		return nil, fmt.Errorf("deoptimisation data of code 0x%x: %w", uint64(c.object), err)
	}
	if o.Function, err = r.unwrap(sfi); err != nil {
		return nil, err
	}
	if o.inlined, err = r.inlining(data, o.Function); err != nil {
		return nil, err
	}
	if o.Positions, err = r.codePositions(c); err != nil {
		return nil, err
	}
	if start, err := r.element(data, r.l.At(layout.DeoptExitStart)); err == nil && start.IsSmi() {
		o.deoptExits = start.Smi()
	}
	if c.Kind == r.l.At(layout.KindMaglev) {
		o.sites, err = r.sites(c, data, o.Function)
		if err != nil && len(o.Positions) == 0 { // else there are those
			return nil, err
		}
		if len(o.Positions) == 0 && o.deoptExits > 0 {
			o.exitSize = r.l.At(layout.DeoptExitSize)
			o.exits = r.exits(data, o.Function)
		}
	}
	return o, nil
}

func (r *Reader) codePositions(c *Code) (Positions, error) {
	b, err := r.byteArray(c.word(r.l.At(layout.CodePositions)), maxTable)
	if err != nil {
		return nil, fmt.Errorf("positions of code 0x%x: %w", uint64(c.object), err)
	}
	return r.DecodePositions(b)
}

// ownFunction is the number of the literal for a function that was inlined into itself: it is none of the literals.
// (V8: src/objects/deoptimization-data.cc, DeoptimizationData::GetInlinedFunction)
const ownFunction = -1

// inlining reads the array of inlined calls: position u64, function i32, 4 bytes of padding.
func (r *Reader) inlining(data, own Word) ([]inlinedCall, error) {
	array, err := r.element(data, r.l.At(layout.DeoptInlining))
	if err != nil {
		return nil, err
	}
	b, err := r.byteArray(array, 16*maxInlined)
	if err != nil {
		return nil, err
	}
	literals, err := r.element(data, r.l.At(layout.DeoptLiterals))
	if err != nil {
		return nil, err
	}
	calls := make([]inlinedCall, len(b)/16)
	for i := range calls {
		e := b[16*i:]
		calls[i].at = NewPosition(0, int64(binary.LittleEndian.Uint64(e)))
		calls[i].function = own
		n := int(int32(binary.LittleEndian.Uint32(e[8:])))
		if n == ownFunction {
			continue
		}
		if calls[i].function, err = r.literal(literals, n); err != nil {
			return nil, fmt.Errorf("inlined function %d of %d: %w", i, len(calls), err)
		}
	}
	return calls, nil
}

// Functions are the SharedFunctionInfos of the code's own function and of the inlined ones.
func (o *Optimized) Functions() []Word {
	out := []Word{o.Function}
	for _, in := range o.inlined {
		out = append(out, in.function)
	}
	return out
}

// Calls gives the functions that run at an offset of the code, the innermost inlined one first and the code's own
// function last. Nil if the table contradicts itself.
func (o *Optimized) Calls(offset int) []Call {
	p, ok := o.Positions.At(offset)
	// The function's entry, before anything has a position; and since V8 14 the place in Maglev's code where a
	// generator or an async function goes on: its entries say 0, where the script begins.
	if !ok || p.Source == 0 && p.Inlining < 0 {
		p = Position{Source: o.entry(), Inlining: -1}
	}
	var calls []Call
	for p.Inlining >= 0 {
		if int(p.Inlining) >= len(o.inlined) || len(calls) > len(o.inlined) {
			return nil
		}
		in := o.inlined[p.Inlining]
		calls = append(calls, Call{in.function, int(p.Source)})
		p = in.at
	}
	return append(calls, Call{o.Function, int(p.Source)})
}

// entry is the first position of the code's own function.
func (o *Optimized) entry() int32 {
	for _, p := range o.Positions {
		if p.Inlining < 0 {
			return p.Source
		}
	}
	return -1
}

// Equal reports whether two pieces of code say the same of each of their offsets. same compares the functions that they
// refer to: the collector may have moved one meanwhile.
func (o *Optimized) Equal(p *Optimized, same func(of, other Word) bool) bool {
	sameFrame := func(a, b DeoptFrame) bool { return a.Offset == b.Offset && same(a.Function, b.Function) }
	return o.deoptExits == p.deoptExits && same(o.Function, p.Function) && slices.Equal(o.Positions, p.Positions) &&
		slices.EqualFunc(o.inlined, p.inlined, func(a, b inlinedCall) bool {
			return a.at == b.at && same(a.function, b.function)
		}) &&
		slices.EqualFunc(o.sites, p.sites, func(a, b site) bool {
			return a.pc == b.pc && slices.EqualFunc(a.frames, b.frames, sameFrame)
		}) &&
		slices.EqualFunc(o.exits, p.exits, func(a, b []DeoptFrame) bool { return slices.EqualFunc(a, b, sameFrame) })
}
