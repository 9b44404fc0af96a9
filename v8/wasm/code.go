// Package wasm reads V8's WebAssembly in the memory of another process: which function's code holds an address, where
// in its function each instruction is, and what a module says of its functions. None of it is on V8's heap but a Script
// for each module, which has the module's URL.
//
// As package heap does, it trusts nothing in that memory, and what it returns may be of two points in time.
package wasm

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Code is machine code of a WebAssembly function. V8 keeps it in C++ objects, NativeModule and WasmCode, which are
// found by the address of an instruction. (src/wasm/wasm-code-manager.h)
type Code struct {
	Start, End uint64 // instructions, [Start, End)
	Index      int    // of the function in its module, imported ones first; negative for a table of jumps
	Module     uint64 // address of the NativeModule
	object     uint64
	head       [headSize]byte // as it was when the rest was read
}

// headSize is as much of a WasmCode as holds all that is read of it.
const headSize = 72

// checkLimits checks what is used as offsets of V8's C++ objects.
func checkLimits(l *layout.Layout) error {
	return cmp.Or(
		l.Within(0, 4096, layout.WasmManagerRoot, layout.WasmModuleBytes, layout.WasmModuleCode,
			layout.WasmModuleNewCode),
		l.Within(0, headSize-8, layout.WasmCodeModule, layout.WasmCodeStart, layout.WasmCodeTables),
		l.Within(0, headSize-4, layout.WasmCodeSize, layout.WasmCodeRelocation, layout.WasmCodePositions,
			layout.WasmCodeTraps, layout.WasmCodeIndex),
		l.Within(-1, headSize-4, layout.WasmCodeInlining))
}

// Limits of V8's tables of WebAssembly.
const (
	maxTreeDepth = 64      // of a red-black tree of 2^32 nodes
	maxNewCode   = 1 << 16 // code that V8 has not put into its tree yet
	maxCode      = 8 << 20 // bytes of instructions of one function
	maxPositions = 1 << 20 // bytes of its position table
	maxInlined   = 1 << 12 // calls that are inlined in it
)

// node is one of a std::map with addresses as keys, as libstdc++ has it: colour, parent, left, right, key, value.
type node struct{ left, right, key, value, last uint64 }

// greatest finds the node with the greatest key that is not above key. root is where the tree's root stands. The
// process may change the tree at any time: what is found has to be checked.
func greatest(r *heap.Reader, root, key uint64) (best node, err error) {
	at, err := r.WordAt(root)
	for range maxTreeDepth {
		if err != nil || at == 0 {
			break
		}
		var b []byte
		if b, err = r.Bytes(uint64(at)+16, 40); err != nil {
			break
		}
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
		n := node{word(0), word(1), word(2), word(3), word(4)}
		if n.key > key {
			at = heap.Word(n.left)
			continue
		}
		best, at = n, heap.Word(n.right)
	}
	if err == nil && best.key == 0 {
		err = heap.ErrNotFound
	}
	return best, err
}

// CodeAt finds the code of WebAssembly that holds pc; state is where the pointer to V8's state of it stands
// (layout.WasmState).
func CodeAt(r *heap.Reader, state, pc uint64) (*Code, error) {
	if err := checkLimits(r.Layout()); err != nil {
		return nil, err
	}
	manager, err := r.WordAt(state)
	if err != nil || manager == 0 {
		return nil, fmt.Errorf("code of pc 0x%x: no state of WebAssembly: %w", pc, heap.ErrNotFound)
	}
	space, err := greatest(r, uint64(manager)+uint64(r.Layout().At(layout.WasmManagerRoot)), pc)
	if err != nil {
		return nil, err
	}
	module, end := space.last, space.value
	if pc >= end {
		return nil, fmt.Errorf("code of pc 0x%x: in no module: %w", pc, heap.ErrNotFound)
	}
	found, err := greatest(r, module+uint64(r.Layout().At(layout.WasmModuleCode)), pc)
	if err == nil {
		if c, err := readCode(r, found.value); err == nil && c.Module == module && c.holds(pc) {
			return c, nil
		}
	}
	return newCode(r, module, pc)
}

// newCode looks for code where V8 puts it first: in a vector without order.
func newCode(r *heap.Reader, module, pc uint64) (*Code, error) {
	b, err := r.Bytes(module+uint64(r.Layout().At(layout.WasmModuleNewCode)), 16)
	if err != nil {
		return nil, err
	}
	begin, end := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if end < begin || end-begin > 8*maxNewCode {
		return nil, fmt.Errorf("module 0x%x: new code is in 0x%x to 0x%x", module, begin, end)
	}
	list, err := r.Bytes(begin, int(end-begin)&^7)
	if err != nil {
		return nil, err
	}
	for ; len(list) > 0; list = list[8:] {
		c, err := readCode(r, binary.LittleEndian.Uint64(list))
		if err == nil && c.Module == module && c.holds(pc) {
			return c, nil
		}
	}
	return nil, fmt.Errorf("code of pc 0x%x in module 0x%x: %w", pc, module, heap.ErrNotFound)
}

func (c *Code) holds(pc uint64) bool { return pc >= c.Start && pc < c.End }

func readCode(r *heap.Reader, at uint64) (*Code, error) {
	b, err := r.Bytes(at, headSize)
	if err != nil {
		return nil, err
	}
	c, l := &Code{object: at, head: [headSize]byte(b)}, r.Layout()
	size := c.u32(l.At(layout.WasmCodeSize))
	if size == 0 || size > maxCode {
		return nil, fmt.Errorf("WasmCode 0x%x: %d bytes of instructions", at, size)
	}
	c.Module, c.Start = c.word(l.At(layout.WasmCodeModule)), c.word(l.At(layout.WasmCodeStart))
	c.End = c.Start + uint64(size)
	c.Index = int(int32(c.u32(l.At(layout.WasmCodeIndex))))
	return c, nil
}

func (c *Code) word(at int) uint64 { return binary.LittleEndian.Uint64(c.head[at:]) }
func (c *Code) u32(at int) uint32  { return binary.LittleEndian.Uint32(c.head[at:]) }

// Same reports whether c still is what it was: code is freed when a better compiler's takes its place.
func (c *Code) Same(r *heap.Reader) bool {
	now, err := readCode(r, c.object)
	return err == nil && now.head == c.head
}

// Tables is what a WasmCode says of its source.
type Tables struct {
	positions heap.Positions
	inlined   []inlinedCall
}

// inlinedCall is an inlined call. V8 packs them: function i32, since V8 12 a flag of one byte, position u64.
// (src/codegen/source-position.h, WasmInliningPosition)
type inlinedCall struct {
	function int
	tail     bool          // what called it was done with that
	at       heap.Position // of the call
}

// minInlining is how many bytes an entry has at least.
const minInlining = 12

// Call is a point of execution: a function of the module, and an offset in its body, -1 for none.
type Call struct{ Function, Offset int }

// Tables reads the tables of the code.
func (c *Code) Tables(r *heap.Reader) (*Tables, error) {
	l := r.Layout()
	size := func(f layout.Field) uint64 {
		if !l.Has(f) {
			return 0
		}
		return uint64(c.u32(l.At(f)))
	}
	at := c.word(l.At(layout.WasmCodeTables)) + size(layout.WasmCodeTraps) + size(layout.WasmCodeRelocation)
	n, inlined := size(layout.WasmCodePositions), size(layout.WasmCodeInlining)
	if n > maxPositions || inlined > 16*maxInlined {
		return nil, fmt.Errorf("WasmCode 0x%x: tables of %d and %d bytes", c.object, n, inlined)
	}
	b, err := r.Bytes(at, int(n+inlined))
	if err != nil {
		return nil, err
	}
	t := &Tables{}
	if t.positions, err = r.DecodePositions(b[:n]); err != nil {
		return nil, err
	}
	entry := max(l.At(layout.WasmInliningEntry), minInlining)
	for b = b[n:]; len(b) >= entry; b = b[entry:] {
		t.inlined = append(t.inlined, inlinedCall{int(int32(binary.LittleEndian.Uint32(b))),
			entry > minInlining && b[4] != 0, heap.NewPosition(0, int64(binary.LittleEndian.Uint64(b[entry-8:])))})
	}
	return t, nil
}

// Size is how many bytes they take, roughly; 0 of nil.
func (t *Tables) Size() int {
	if t == nil {
		return 0
	}
	return t.positions.Size() + 32*len(t.inlined)
}

// Inlines reports whether other functions are inlined into the code; false of nil.
func (t *Tables) Inlines() bool { return t != nil && len(t.inlined) > 0 }

// Offsets are those in the code at which the position changes, in order.
func (t *Tables) Offsets() []int {
	out := make([]int, len(t.positions))
	for i, p := range t.positions {
		out[i] = int(p.Code)
	}
	return out
}

// Calls gives the functions that run at an offset of the code of a function, the innermost inlined one first and the
// code's own function last, without those that have returned by a tail call. Nil if the table contradicts itself.
// (src/execution/frames.cc, WasmFrame::Summarize)
func (t *Tables) Calls(function, offset int) []Call {
	p, ok := t.positions.At(offset)
	if !ok {
		return []Call{{function, -1}}
	}
	var calls []Call
	gone := false
	add := func(function int) {
		if !gone {
			calls = append(calls, Call{function, int(p.Source)})
		}
	}
	for n := 0; p.Inlining >= 0; n++ {
		if int(p.Inlining) >= len(t.inlined) || n > len(t.inlined) {
			return nil
		}
		in := t.inlined[p.Inlining]
		add(in.function)
		p, gone = in.at, in.tail
	}
	add(function)
	return calls
}
