package repair

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/functions/builtins"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

const (
	codeStart     = 0x10000
	callerStart   = 0x20000
	baselineStart = 0x30000
	goneStart     = 0x40000 // where code was
	goneEnd       = 0x50000
	builtinStart  = 0x90000
	imulStart     = 0x98005 // at a prologue

	jumpsStart       = 0xa0000
	callHandlerStart = 0x99000 // makes a frame of its own on the way
)

// machineCode sets up a frame and takes it down as V8 does.
var machineCode = []byte{
	0x41, 0xf6, 0x47, 0x07, 0x01, // 0: test [r15+7],1
	0x55,             // 5: push rbp
	0x48, 0x89, 0xe5, // 6: mov rbp,rsp
	0x56,                   // 9: push rsi
	0x57,                   // 10: push rdi
	0x48, 0x83, 0xec, 0x18, // 11: sub rsp,24
	0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, // 15
	0x48, 0x8b, 0xe5, // 25: mov rsp,rbp
	0x5d,                   // 28: pop rbp
	0x48, 0x83, 0xf9, 0x03, // 29: cmp rcx,3
	0x7f, 0x03, // 33: jg 38
	0xc2, 0x18, 0x00, // 35: ret 24
	0x41, 0x5a, // 38: pop r10
	0xc3, // 40: ret
}

var (
	leafID   = heap.Identity{Script: 7, Literal: 1}
	callerID = heap.Identity{Script: 7, Literal: 2}
	baseID   = heap.Identity{Script: 7, Literal: 3}
	exportID = heap.Identity{Script: 8, Literal: 1}
)

// process has three pieces of code: an optimised leaf, an optimised caller, and baseline code.
type process struct {
	memory   io.ReaderAt
	builtins []builtin
	codes    []Code
}

type builtin struct {
	name       string
	start, end uint64
}

// baseBytecode is what the baseline code was compiled from.
const baseBytecode = 0xba1

func newProcess() *process {
	end := uint64(len(machineCode))
	p := &process{memory: codeMemory{}, builtins: []builtin{
		{"InterpreterEntryTrampoline", builtinStart, builtinStart + end},
		{"LdarHandler", builtinStart + 0x100, builtinStart + 0x200},
		{"Add_Baseline", builtinStart + 0x200, builtinStart + 0x300},
		{"ArrayMap", builtinStart + 0x300, builtinStart + 0x400},
		{"MathImul", imulStart, imulStart + 36},
		{"CallUndefinedReceiver1Handler", callHandlerStart, callHandlerStart + 41}}}
	for start, id := range map[uint64]heap.Identity{codeStart: leafID, callerStart: callerID, baselineStart: baseID} {
		p.codes = append(p.codes, Code{Kind: Function, Start: start, End: start + end, Text: machineCode, ID: id})
	}
	return p
}

func (p *process) Builtin(pc uint64) (string, uint64, uint64, bool) {
	for _, b := range p.builtins {
		if pc >= b.start && pc < b.end {
			return b.name, b.start, b.end, true
		}
	}
	return "", 0, 0, false
}

func (p *process) Generated(pc uint64) bool {
	_, is := p.Code(pc)
	return is || pc >= goneStart && pc < goneEnd
}

func (p *process) Bytes(at uint64, n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := p.memory.ReadAt(b, int64(at))
	return b, err
}

func (p *process) Code(pc uint64) (Code, bool) {
	for _, c := range p.codes {
		if pc >= c.Start && pc <= c.End {
			return c, true
		}
	}
	return Code{}, false
}

func (p *process) Wasm(pc uint64) (Code, bool) {
	return Code{Kind: Jumps, Start: jumpsStart, End: jumpsStart + 64}, pc >= jumpsStart && pc < jumpsStart+64
}

func (p *process) Exported(raw stack.RawFrame) bool { return raw.ID == exportID }

func (p *process) Enters(pc uint64, callee stack.RawFrame) bool {
	c, ok := p.Code(pc)
	return ok && c.ID == callee.ID
}

func (p *process) Runs(pc uint64, raw stack.RawFrame) bool {
	c, ok := p.Code(pc)
	return ok && (c.ID == raw.ID || c.Start == baselineStart && raw.Bytecode == baseBytecode)
}

func (p *process) Interprets(name string, _ stack.RawFrame) bool { return builtins.IsInterpreter(name) }

// repaired repairs a frame of a process.
func repaired(p Process, raw stack.RawFrame, leaf stack.Leaf) []stack.RawFrame {
	frames, _ := New(&layout.Layout{}).Repair(p, raw, leaf)
	return frames
}

type codeMemory struct{}

func (codeMemory) ReadAt(p []byte, off int64) (int, error) {
	for _, start := range []int64{codeStart, callerStart, baselineStart, builtinStart, imulStart - 5,
		callHandlerStart} {
		if at := off - start; at >= 0 && at+int64(len(p)) <= int64(len(machineCode)) {
			return copy(p, machineCode[at:]), nil
		}
	}
	return 0, errors.New("no memory")
}

// shown is what of a frame tells repairs apart.
type shown struct {
	PC     uint64
	Exact  bool
	Marker int
	ID     heap.Identity
}

func show(raws []stack.RawFrame) []shown {
	var out []shown
	for _, r := range raws {
		out = append(out, shown{r.PC, r.Exact, r.Marker, r.ID})
	}
	return out
}

func TestRepairCode(t *testing.T) {
	const ret, below = callerStart + 20, callerStart + 24
	for _, c := range []struct {
		name  string
		start uint64
		at    []uint64
		id    heap.Identity // of the leaf; none: the frame is as the walk found it
		words []uint64
		ret   uint64 // of the frame at rbp; 0: that is the leaf's own
	}{
		{"before push rbp", codeStart, []uint64{0, 5}, leafID, []uint64{ret, below}, ret},
		{"after push rbp", codeStart, []uint64{6}, leafID, []uint64{0x7fff0000, ret}, ret},
		{"after mov rbp", codeStart, []uint64{9, 10}, leafID, []uint64{ret, below}, 0},
		{"in the body", codeStart, []uint64{11, 15, 24}, heap.Identity{}, []uint64{ret, below}, 0},
		{"while the frame is taken down", codeStart, []uint64{25, 28}, heap.Identity{}, []uint64{ret, below}, 0},
		{"after pop rbp", codeStart, []uint64{29, 33, 35, 40}, leafID, []uint64{ret, below}, ret},
		{"return address that is no code", codeStart, []uint64{0}, leafID, []uint64{0x12345}, 0},
		{"return address in code that is gone", codeStart, []uint64{0, 35}, leafID, []uint64{goneStart + 9},
			goneStart + 9},
		{"no stack", codeStart, []uint64{0, 6, 35}, leafID, nil, 0},
		{"return address in a builtin", codeStart, []uint64{0}, leafID, []uint64{builtinStart + 0x310}, builtinStart +
			0x310},
		{"prologue of baseline code: rdi tells", baselineStart, []uint64{0, 5}, baseID, []uint64{ret}, ret},
		{"epilogue of baseline code: seen before", baselineStart, []uint64{29, 35}, baseID, []uint64{ret}, ret},
	} {
		callee := stack.RawFrame{PC: 0x66, Marker: -1, ID: c.id}
		for _, at := range c.at {
			found := stack.RawFrame{PC: c.start + at, Exact: true, Marker: -1, ID: callerID}
			want := []shown{{found.PC, true, -1, c.id}}
			if c.id == (heap.Identity{}) {
				want[0].ID = callerID
			}
			if c.ret != 0 {
				want = append(want, shown{c.ret, false, -1, callerID})
			}
			if diff := cmp.Diff(want,
				show(repaired(newProcess(), found, stack.Leaf{Callee: callee, Words: c.words}))); diff != "" {
				t.Errorf("%s, offset %d: %s", c.name, at, diff)
			}
		}
	}
}

// Where rdi is another function than the code's, the code's place was used again since the sample.
func TestRepairCodeOfAnother(t *testing.T) {
	for _, c := range []struct {
		name string
		pc   uint64
		leaf stack.Leaf
	}{
		{"another function in rdi", codeStart + 5,
			stack.Leaf{Callee: stack.RawFrame{ID: baseID}, Words: []uint64{callerStart + 20}}},
		{"no function in rdi", codeStart + 5,
			stack.Leaf{Callee: stack.RawFrame{ID: heap.Identity{Script: -1}}, Words: []uint64{callerStart + 20}}},
	} {
		raw := stack.RawFrame{PC: c.pc, Exact: true, Marker: -1, ID: callerID}
		got := show(repaired(newProcess(), raw, c.leaf))
		if diff := cmp.Diff([]shown{{c.pc, true, -1, callerID}}, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestRepairBaselineOfAnother: code of which it is known that another function runs in it has no frame.
func TestRepairBaselineOfAnother(t *testing.T) {
	raw := stack.RawFrame{PC: baselineStart + 15, Exact: true, Marker: -1, ID: callerID}
	for _, known := range []bool{false, true} {
		p := &process{memory: codeMemory{}, codes: []Code{
			{Kind: Function, Start: baselineStart, End: baselineStart + 41, Text: machineCode, Known: known,
				ID: heap.Identity{Script: -1}},
			{Kind: Function, Start: callerStart, End: callerStart + 41, ID: callerID}}}
		want := []shown{{raw.PC, true, -1, callerID}}
		if known {
			want = []shown{{raw.PC, true, -1, heap.Identity{Script: -1}}, {callerStart + 20, false, -1, callerID}}
		}
		got := show(repaired(p, raw, stack.Leaf{Words: []uint64{callerStart + 20}}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("known %v: %s", known, diff)
		}
	}
}

// The words of the stack serve all frames of a sample: a repair must not write into them.
func TestRepairKeepsTheStack(t *testing.T) {
	words := []uint64{1, 2, 3, 4}
	raw := stack.RawFrame{PC: codeStart + 15, Exact: true, Marker: -1, ID: callerID}
	p := newProcess()
	for i := range p.codes {
		p.codes[i].Known = true
	}
	repaired(p, raw, stack.Leaf{Words: words, R10: 5})
	if diff := cmp.Diff([]uint64{1, 2, 3, 4}, words); diff != "" {
		t.Error(diff)
	}
}

func TestRepairBuiltins(t *testing.T) {
	const add, arrayMap, handler = builtinStart + 0x210, builtinStart + 0x310, builtinStart + 0x110
	const ret = callerStart + 20
	caller := func(pc uint64) stack.RawFrame {
		return stack.RawFrame{PC: pc, Exact: true, Marker: -1, ID: callerID, Bytecode: baseBytecode}
	}
	frame := func(pc uint64) shown { return shown{pc, true, 0, heap.Identity{}} }
	for _, c := range []struct {
		name string
		raw  stack.RawFrame
		leaf stack.Leaf
		want []shown
	}{
		{"a builtin with a frame", stack.RawFrame{PC: add, Exact: true, Marker: 4, ID: heap.Identity{Script: -1}},
			stack.Leaf{Words: []uint64{ret}}, []shown{{add, true, 4, heap.Identity{Script: -1}}}},
		{"a builtin that is a function",
			stack.RawFrame{PC: add, Exact: true, Marker: -1, ID: heap.Identity{Script: -1}},
			stack.Leaf{Words: []uint64{ret}}, []shown{{add, true, -1, heap.Identity{Script: -1}}}},
		{"without a frame", caller(add), stack.Leaf{Words: []uint64{5, codeStart + 9, arrayMap, ret, ret + 1}},
			[]shown{frame(add), {ret, false, -1, callerID}}},
		{"called by baseline code", caller(add), stack.Leaf{Words: []uint64{baselineStart + 9, ret}},
			[]shown{frame(add), {baselineStart + 9, false, -1, callerID}}},
		{"baseline code of another function",
			stack.RawFrame{PC: add, Exact: true, Marker: -1, ID: callerID, Bytecode: 0xba5},
			stack.Leaf{Words: []uint64{baselineStart + 9, ret}}, []shown{frame(add), {ret, false, -1, callerID}}},
		{"called by the interpreter", caller(add), stack.Leaf{Words: []uint64{handler, ret}},
			[]shown{frame(add), {handler, false, -1, callerID}}},
		{"return address in r10", caller(add), stack.Leaf{Words: []uint64{1, 2}, R10: ret},
			[]shown{frame(add), {ret, false, -1, callerID}}},
		{"no return address", caller(add), stack.Leaf{Words: []uint64{0, 1 << 63, codeStart + 9}},
			[]shown{frame(add), {0, true, -1, callerID}}},
		{"a return address in code that is gone, and older words behind it", caller(add),
			stack.Leaf{Words: []uint64{5, goneStart + 9, handler}, R10: ret},
			[]shown{frame(add), {0, true, -1, callerID}}},
		{"before push rbp", caller(imulStart), stack.Leaf{Words: []uint64{ret}},
			[]shown{frame(imulStart), {ret, false, -1, callerID}}},
		{"after mov rbp: the slots are not its own yet", caller(imulStart + 4), stack.Leaf{Words: []uint64{ret}},
			[]shown{frame(imulStart + 4)}},
		{"after push rsi", caller(imulStart + 5), stack.Leaf{Words: []uint64{ret}}, []shown{frame(imulStart + 5)}},
		{"after push rdi: they are", caller(imulStart + 6), stack.Leaf{Words: []uint64{ret}},
			[]shown{frame(imulStart + 6), {ret, false, -1, callerID}}},
		{"a bytecode handler that has not filled its frame yet", caller(callHandlerStart + 9), stack.Leaf{},
			[]shown{frame(callHandlerStart + 9)}},
		{"a bytecode handler that has no frame yet", caller(callHandlerStart + 6), stack.Leaf{},
			[]shown{{callHandlerStart + 6, true, -1, callerID}}},
		{"a bytecode handler is the interpreter", caller(handler), stack.Leaf{Words: []uint64{ret}},
			[]shown{{handler, true, -1, callerID}}},
	} {
		if diff := cmp.Diff(c.want, show(repaired(newProcess(), c.raw, c.leaf))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// A builtin that has called C++ has no frame of its own either: the walk finds it by its return address.
func TestRepairBuiltinThatCalled(t *testing.T) {
	const add = builtinStart + 0x210
	raw := stack.RawFrame{PC: add, Marker: -1, ID: callerID}
	got := show(repaired(newProcess(), raw, stack.Leaf{Words: []uint64{callerStart + 20}}))
	if diff := cmp.Diff([]shown{{add, false, 0, heap.Identity{}}, {callerStart + 20, false, -1, callerID}},
		got); diff != "" {
		t.Error(diff)
	}
	for _, pc := range []uint64{callerStart + 20, builtinStart + 0x110, builtinStart + 20} {
		raw.PC = pc
		if diff := cmp.Diff([]shown{{pc, false, -1, callerID}},
			show(repaired(newProcess(), raw, stack.Leaf{Words: []uint64{callerStart + 20}}))); diff != "" {
			t.Errorf("pc 0x%x: %s", pc, diff)
		}
	}
}

func TestRepairInterpreterEntry(t *testing.T) {
	const ret = callerStart + 20
	callee := stack.RawFrame{PC: 0x66, Marker: -1, ID: leafID}
	for _, c := range []struct {
		at   uint64
		want []shown
	}{
		{0, []shown{{builtinStart, true, -1, leafID}, {ret, false, -1, callerID}}},
		{5, []shown{{builtinStart + 5, true, -1, leafID}, {ret, false, -1, callerID}}},
		{6, []shown{{builtinStart + 6, true, -1, leafID}, {ret + 1, false, -1, callerID}}},
		{9, []shown{{builtinStart + 9, true, -1, leafID}}},
		{11, []shown{{builtinStart + 11, true, -1, callerID}}},
	} {
		raw := stack.RawFrame{PC: builtinStart + c.at, Exact: true, Marker: -1, ID: callerID}
		if diff := cmp.Diff(c.want,
			show(repaired(newProcess(), raw, stack.Leaf{Callee: callee, Words: []uint64{ret, ret + 1}}))); diff != "" {
			t.Errorf("offset %d: %s", c.at, diff)
		}
	}
	raw := stack.RawFrame{PC: builtinStart, Exact: true, Marker: -1, ID: callerID}
	none := stack.Leaf{Callee: stack.RawFrame{ID: heap.Identity{Script: -1}}, Words: []uint64{ret}}
	if got := repaired(newProcess(), raw, none); len(got) != 1 || got[0] != raw {
		t.Errorf("no function in rdi: %+v", got)
	}
}

// baselinePrologue is the beginning of the builtin that makes the frame of baseline code, on V8 13.
var baselinePrologue = []byte{
	0x41, 0x5b, // 0: pop r11
	0x55,             // 2: push rbp
	0x48, 0x89, 0xe5, // 3: mov rbp,rsp
	0x56,                   // 6: push rsi
	0x4c, 0x8b, 0x57, 0x1f, // 7: mov r10,[rdi+31]
	0x66, 0x41, 0xc7, 0x42, 0x43, 0x00, 0x00, // 11: mov word [r10+67],0
	0x57,       // 18: push rdi
	0x50,       // 19: push rax
	0x41, 0x54, // 20: push r12
	0x41, 0x53, // 22: push r11
	0xc3, // 24: ret
	0x55, // 25
}

// Until the function is pushed, the frame has that of an earlier call.
func TestRepairBaselinePrologue(t *testing.T) {
	p := &process{memory: bytesAt{builtinStart, baselinePrologue}}
	raw := stack.RawFrame{Exact: true, Marker: -1, ID: callerID, Bytecode: baseBytecode, Offset: 5}
	for _, c := range []struct {
		at    []uint64
		slots string // of the frame at rbp
	}{
		{[]uint64{0, 2, 3, 25}, "another's"},
		{[]uint64{6, 7, 11, 18}, "stale"},
		{[]uint64{19, 20, 22, 24}, "its own"},
	} {
		for _, at := range c.at {
			raw.PC = builtinStart + at
			want := []shown{{raw.PC, true, 0, heap.Identity{}}}
			switch c.slots {
			case "another's":
				want = nil
			case "its own":
				want = append(want, shown{raw.PC, true, -1, callerID})
			}
			a := &attempt{Process: p}
			got, ok := a.inBaselinePrologue(raw, builtinStart, builtinStart+uint64(len(baselinePrologue)))
			if diff := cmp.Diff(want, show(got)); diff != "" || ok != (want != nil) {
				t.Errorf("offset %d: %v %s", at, ok, diff)
			}
			if len(got) == 2 && (got[1].Bytecode != 0 || got[1].Offset != -1) {
				t.Errorf("offset %d: the frame has bytecode: %+v", at, got[1])
			}
		}
	}
}

// baselineLeave is the end of the builtin that removes the frame of baseline code, on V8 13.
var baselineLeave = []byte{
	0x49, 0x0f, 0x4c, 0xd8, // 0: cmovl rbx,r8
	0x48, 0x8b, 0xe5, // 4: mov rsp,rbp
	0x5d,       // 7: pop rbp
	0x41, 0x58, // 8: pop r8
	0x48, 0x8d, 0x24, 0xdc, // 10: lea rsp,[rsp+8*rbx]
	0x41, 0x50, // 14: push r8
	0xc3, // 16: ret
}

// What is on the stack besides the return address to the caller, once that is on top, is of other calls.
func TestRepairBaselineLeave(t *testing.T) {
	const ret, older = callerStart + 20, callerStart + 24
	p := newProcess()
	p.memory = bytesAt{builtinStart - 16, slices.Concat(make([]byte, 16), baselineLeave, make([]byte, 16))}
	p.builtins = []builtin{{"BaselineLeaveFrame", builtinStart, builtinStart + uint64(len(baselineLeave))}}
	for _, c := range []struct {
		at    []uint64
		exact bool
		words []uint64
		pc    uint64 // of the frame at rbp; 1: in the builtin
	}{
		{[]uint64{0, 4, 7}, true, []uint64{5, older, ret}, 1},
		{[]uint64{4}, false, []uint64{5, older, ret}, 1},
		{[]uint64{8, 16}, true, []uint64{ret, older}, ret},
		{[]uint64{10, 14}, true, []uint64{older}, ret},
		{[]uint64{16}, true, nil, 0},
	} {
		for _, at := range c.at {
			raw := stack.RawFrame{PC: builtinStart + at, Exact: c.exact, Marker: -1, ID: callerID}
			want := []shown{{raw.PC, c.exact, 0, heap.Identity{}}, {c.pc, c.exact && c.pc != ret, -1, callerID}}
			if c.pc == 1 {
				want[1].PC = raw.PC
			}
			got := show(repaired(p, raw, stack.Leaf{Words: c.words, R8: ret, R10: older}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("offset %d: %s", at, diff)
			}
		}
	}
}

type bytesAt struct {
	start int64
	b     []byte
}

func (m bytesAt) ReadAt(p []byte, off int64) (int, error) {
	if at := off - m.start; at >= 0 && at+int64(len(p)) <= int64(len(m.b)) {
		return copy(p, m.b[at:]), nil
	}
	return 0, errors.New("no memory")
}
