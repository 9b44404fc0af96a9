package functions

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/functions/repair"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/optimized"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

const (
	leafStart     = 0x10000
	callerStart   = 0x20000
	baselineStart = 0x30000
	unknownStart  = 0x40000
	entryStart    = 0x50000
	regexpStart   = 0x60000
	unreadStart   = 0x70000
	codeSize      = 40
	builtinStart  = 0x90000
)

type fakeSpace struct{}

func (fakeSpace) Builtin(pc uint64) (string, uint64, uint64, bool) {
	return "ArrayMap", builtinStart, builtinStart + codeSize, pc >= builtinStart && pc < builtinStart+codeSize
}

func (fakeSpace) Address(uint64) (uint64, bool) { return 0, false }

func (fakeSpace) Generated(pc uint64) bool { return pc >= leafStart && pc < builtinStart }

const callerSFI = 0x75

var (
	none     = heap.Identity{Script: -1}
	leafID   = heap.Identity{Script: 7, Literal: 1}
	callerID = heap.Identity{Script: 7, Literal: 2}
	baseID   = heap.Identity{Script: 7, Literal: 3}
)

// resolver knows code of each kind.
func resolver() *Resolver {
	l := &layout.Layout{}
	l.Values[layout.CodeDeoptData] = layout.Value{N: 8, State: layout.Known}
	l.Values[layout.KindBuiltin] = layout.Value{N: 5, State: layout.Known}
	v := NewResolver(heap.NewReader(noMemory{}, l), fakeSpace{})
	v.Renew(0)
	v.Begin(Moment{MarkCompacts: 4})
	v.times = times{0: 1}
	bytecode := &heap.Baseline{Array: 0xba1}
	for start, c := range map[uint64]*code{
		leafStart: {tier: TurboFan,
			tables: tables{id: leafID, sfi: 0x71, optimized: &optimized.Tables{Function: 0x71}}},
		callerStart:   {tier: Maglev, tables: tables{id: callerID, sfi: callerSFI}},
		baselineStart: {tier: Sparkplug, tables: tables{id: baseID, sfi: 0x79, baseline: bytecode}},
		unknownStart:  {tier: Sparkplug, tables: tables{id: none, baseline: bytecode}},
		entryStart:    {tables: tables{id: none}},
		regexpStart:   {tables: tables{id: none}},
		unreadStart:   {tier: Sparkplug, tables: tables{id: none}},
	} {
		c.Code = &heap.Code{Start: start, End: start + codeSize}
		if start == entryStart {
			c.Kind = 5
		}
		c.in, c.checked, c.compacts, c.tried = v.number, v.code.round, 4, 4
		c.text = append(x86.Prologue[:4:4], make([]byte, codeSize-4)...)
		v.code.put(c)
	}
	return v
}

// TestWhoseCode: code is a function's if it has the function's numbers, or was compiled from its bytecode.
func TestWhoseCode(t *testing.T) {
	type answers struct {
		Kind                repair.Kind
		ID                  heap.Identity
		Known, Enters, Runs bool
	}
	caller := stack.RawFrame{Marker: -1, ID: callerID, SFI: callerSFI, Bytecode: 0xba5}
	base := stack.RawFrame{Marker: -1, ID: baseID, SFI: 0x79, Bytecode: 0xba1}
	moved := stack.RawFrame{Marker: -1, ID: callerID, SFI: 0x99}
	for _, c := range []struct {
		name  string
		start uint64
		raw   stack.RawFrame
		want  answers
	}{
		{"its own", callerStart, caller, answers{repair.Function, callerID, false, true, true}},
		{"another's", leafStart, caller, answers{repair.Function, leafID, true, false, false}},
		{"the same numbers, perhaps of another isolate", callerStart, moved,
			answers{repair.Function, callerID, false, false, true}},
		{"baseline code, its own", baselineStart, base, answers{repair.Function, baseID, true, true, true}},
		{"baseline code, another's", baselineStart, caller, answers{repair.Function, baseID, true, false, false}},
		{"baseline code that has not told, its own", unknownStart, base,
			answers{repair.Function, none, true, true, true}},
		{"baseline code that has not told, another's", unknownStart, caller,
			answers{repair.Function, none, true, false, false}},
		{"baseline code that could not be read", unreadStart, caller,
			answers{repair.Function, none, false, false, false}},
		{"an entry of its own", entryStart, caller, answers{repair.Entry, none, false, false, true}},
		{"a regular expression", regexpStart, caller, answers{repair.Other, none, false, false, false}},
	} {
		a, at := asked{resolver()}, c.start+codeSize/2
		code, ok := a.Code(at)
		got := answers{code.Kind, code.ID, code.Known, a.Enters(at, c.raw), a.Runs(at, c.raw)}
		if diff := cmp.Diff(c.want, got); diff != "" || !ok || code.Start != c.start || len(code.Text) != codeSize {
			t.Errorf("%s: %v %+v %s", c.name, ok, code, diff)
		}
	}
	a := asked{resolver()}
	if _, ok := a.Code(builtinStart); ok || a.Enters(builtinStart, caller) || a.Runs(builtinStart, caller) {
		t.Error("a builtin is a function's code")
	}
}

// TestRepairIsPassing: a stack that was repaired rests on words that the next one with the same frames need not have.
func TestRepairIsPassing(t *testing.T) {
	leaf := stack.Leaf{Callee: stack.RawFrame{ID: leafID, SFI: 0x71}, Words: []uint64{callerStart + 20}}
	for at, frames := range map[uint64]int{0: 2, 15: 1} {
		v := resolver()
		raw := stack.RawFrame{PC: leafStart + at, Exact: true, Marker: -1, ID: leafID, SFI: 0x71}
		got := v.Repair(raw, leaf)
		if _, lasts := v.Basis(); len(got) != frames || lasts != (frames == 1) {
			t.Errorf("offset %d: %+v, basis for other samples: %v", at, got, lasts)
		}
	}
}
