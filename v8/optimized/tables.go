// Package optimized reads what machine code of V8's optimising compilers, Maglev and TurboFan, says of the functions in
// it: which one an instruction is of, where in its source, and where in the others the calls are that were inlined.
// A position table says it, and what the code keeps for the deoptimiser: its translations and safepoints. Of code of
// Maglev without a position table, Marks tell what is between the points that the deoptimiser knows.
//
// As package heap does, it trusts nothing in the memory that it reads, and what it returns may be of two points in
// time.
package optimized

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Tables is what is kept of a Code object of an optimising compiler.
type Tables struct {
	Positions  heap.Positions
	Function   heap.Word // SharedFunctionInfo; 0: the code does not say, nor which functions are inlined
	inlined    []inlinedCall
	sites      []site // of Maglev's code, by offset
	deoptExits int    // offset of the deopt exits, behind the code proper; 0 = not known
	exitSize   int
	exits      [][]Frame // frames at each deopt exit, of Maglev's code without positions; nil = not known
}

// Size is how many bytes it takes, roughly.
func (o *Tables) Size() int {
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

// maxInlined bounds the inlined calls of one piece of code.
const maxInlined = 1 << 12

type inlinedCall struct {
	at       heap.Position // of the call, in the function that it is inlined in
	function heap.Word     // SharedFunctionInfo
}

// Call is a point of execution: a function and an offset in its script's source, -1 for none.
type Call struct {
	Function heap.Word // SharedFunctionInfo
	Source   int
}

// Read reads tables and deoptimisation data. (src/objects/deoptimization-data.h) Until V8 10 code that cannot be
// deoptimised has no such data. (src/compiler/backend/code-generator.cc, GenerateDeoptimizationData)
func Read(r *heap.Reader, c *heap.Code) (*Tables, error) {
	o := &Tables{}
	data := r.DeoptData(c)
	if n, err := r.StoreLength(data); err == nil && n == 0 {
		o.Positions, err = r.CodePositions(c)
		return o, err
	}
	sfi, err := element(r, data, r.Layout().At(layout.DeoptSFI))
	if err != nil {
		return nil, fmt.Errorf("deoptimisation data of code 0x%x: %w", uint64(c.Start), err)
	}
	if o.Function, err = unwrap(r, sfi); err != nil {
		return nil, err
	}
	if o.inlined, err = inlining(r, data, o.Function); err != nil {
		return nil, err
	}
	if o.Positions, err = r.CodePositions(c); err != nil {
		return nil, err
	}
	if start, err := element(r, data, r.Layout().At(layout.DeoptExitStart)); err == nil && start.IsSmi() {
		o.deoptExits = start.Smi()
	}
	if c.Kind == r.Layout().At(layout.KindMaglev) {
		o.sites, err = sites(r, c, data, o.Function)
		if err != nil && len(o.Positions) == 0 { // else there are those
			return nil, err
		}
		if len(o.Positions) == 0 && o.deoptExits > 0 {
			o.exitSize = r.Layout().At(layout.DeoptExitSize)
			o.exits = exits(r, data, o.Function)
		}
	}
	return o, nil
}

// ownFunction is the number of the literal for a function that was inlined into itself: it is none of the literals.
// (V8: src/objects/deoptimization-data.cc, DeoptimizationData::GetInlinedFunction)
const ownFunction = -1

// inlining reads the array of inlined calls: position u64, function i32, 4 bytes of padding.
func inlining(r *heap.Reader, data, own heap.Word) ([]inlinedCall, error) {
	array, err := element(r, data, r.Layout().At(layout.DeoptInlining))
	if err != nil {
		return nil, err
	}
	b, err := r.ByteArray(array, 16*maxInlined)
	if err != nil {
		return nil, err
	}
	literals, err := element(r, data, r.Layout().At(layout.DeoptLiterals))
	if err != nil {
		return nil, err
	}
	calls := make([]inlinedCall, len(b)/16)
	for i := range calls {
		e := b[16*i:]
		calls[i].at = heap.NewPosition(0, int64(binary.LittleEndian.Uint64(e)))
		calls[i].function = own
		n := int(int32(binary.LittleEndian.Uint32(e[8:])))
		if n == ownFunction {
			continue
		}
		if calls[i].function, err = literal(r, literals, n); err != nil {
			return nil, fmt.Errorf("inlined function %d of %d: %w", i, len(calls), err)
		}
	}
	return calls, nil
}

// Functions are the SharedFunctionInfos of the code's own function and of the inlined ones.
func (o *Tables) Functions() []heap.Word {
	out := []heap.Word{o.Function}
	for _, in := range o.inlined {
		out = append(out, in.function)
	}
	return out
}

// Calls gives the functions that run at an offset of the code, the innermost inlined one first and the code's own
// function last. Nil if the table contradicts itself.
func (o *Tables) Calls(offset int) []Call {
	p, ok := o.Positions.At(offset)
	// The function's entry, before anything has a position; and since V8 14 the place in Maglev's code where a
	// generator or an async function goes on: its entries say 0, where the script begins.
	if !ok || p.Source == 0 && p.Inlining < 0 {
		p = heap.Position{Source: o.entry(), Inlining: -1}
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
func (o *Tables) entry() int32 {
	for _, p := range o.Positions {
		if p.Inlining < 0 {
			return p.Source
		}
	}
	return -1
}

// Equal reports whether two pieces of code say the same of each of their offsets. same compares the functions that they
// refer to: the collector may have moved one meanwhile.
func (o *Tables) Equal(p *Tables, same func(of, other heap.Word) bool) bool {
	sameFrame := func(a, b Frame) bool { return a.Offset == b.Offset && same(a.Function, b.Function) }
	return o.deoptExits == p.deoptExits && same(o.Function, p.Function) && slices.Equal(o.Positions, p.Positions) &&
		slices.EqualFunc(o.inlined, p.inlined, func(a, b inlinedCall) bool {
			return a.at == b.at && same(a.function, b.function)
		}) &&
		slices.EqualFunc(o.sites, p.sites, func(a, b site) bool {
			return a.pc == b.pc && slices.EqualFunc(a.frames, b.frames, sameFrame)
		}) &&
		slices.EqualFunc(o.exits, p.exits, func(a, b []Frame) bool { return slices.EqualFunc(a, b, sameFrame) })
}
