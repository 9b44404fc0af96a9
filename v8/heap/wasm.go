package heap

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// WasmCode is machine code of a WebAssembly function. It is no heap object: V8 keeps it in C++ objects, NativeModule
// and WasmCode, which are found by the address of an instruction. (src/wasm/wasm-code-manager.h)
type WasmCode struct {
	Start, End uint64 // instructions, [Start, End)
	Index      int    // of the function in its module, imported ones first; negative for a table of jumps
	Module     uint64 // address of the NativeModule
	object     uint64
	head       [wasmCodeHead]byte // as it was when the rest was read
}

// wasmCodeHead is as much of a WasmCode as holds all that is read of it.
const wasmCodeHead = 72

// wasmLimits checks what is used as offsets of V8's C++ objects.
func (r *Reader) wasmLimits() error {
	return cmp.Or(
		r.l.Within(0, 4096, layout.WasmManagerRoot, layout.WasmModuleBytes, layout.WasmModuleCode,
			layout.WasmModuleNewCode),
		r.l.Within(0, wasmCodeHead-8, layout.WasmCodeModule, layout.WasmCodeStart, layout.WasmCodeTables),
		r.l.Within(0, wasmCodeHead-4, layout.WasmCodeSize, layout.WasmCodeRelocation, layout.WasmCodePositions,
			layout.WasmCodeTraps, layout.WasmCodeIndex),
		r.l.Within(-1, wasmCodeHead-4, layout.WasmCodeInlining))
}

// Limits of V8's tables of WebAssembly.
const (
	maxTreeDepth = 64      // of a red-black tree of 2^32 nodes
	maxNewCode   = 1 << 16 // code that V8 has not put into its tree yet
)

// node is one of a std::map with addresses as keys, as libstdc++ has it: colour, parent, left, right, key, value.
type node struct{ left, right, key, value, last uint64 }

// greatest finds the node with the greatest key that is not above key. root is where the tree's root stands. The
// process may change the tree at any time: what is found has to be checked.
func (r *Reader) greatest(root, key uint64) (best node, err error) {
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
			at = Word(n.left)
			continue
		}
		best, at = n, Word(n.right)
	}
	if err == nil && best.key == 0 {
		err = ErrNotFound
	}
	return best, err
}

// WasmCodeAt finds the code of WebAssembly that holds pc; state is where the pointer to V8's state of it stands
// (layout.WasmState).
func (r *Reader) WasmCodeAt(state, pc uint64) (*WasmCode, error) {
	if err := r.wasmLimits(); err != nil {
		return nil, err
	}
	manager, err := r.WordAt(state)
	if err != nil || manager == 0 {
		return nil, fmt.Errorf("code of pc 0x%x: no state of WebAssembly: %w", pc, ErrNotFound)
	}
	space, err := r.greatest(uint64(manager)+uint64(r.l.At(layout.WasmManagerRoot)), pc)
	if err != nil {
		return nil, err
	}
	module, end := space.last, space.value
	if pc >= end {
		return nil, fmt.Errorf("code of pc 0x%x: in no module: %w", pc, ErrNotFound)
	}
	found, err := r.greatest(module+uint64(r.l.At(layout.WasmModuleCode)), pc)
	if err == nil {
		if c, err := r.wasmCode(found.value); err == nil && c.Module == module && c.holds(pc) {
			return c, nil
		}
	}
	return r.newWasmCode(module, pc)
}

// newWasmCode looks for code where V8 puts it first: in a vector without order.
func (r *Reader) newWasmCode(module, pc uint64) (*WasmCode, error) {
	b, err := r.Bytes(module+uint64(r.l.At(layout.WasmModuleNewCode)), 16)
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
		c, err := r.wasmCode(binary.LittleEndian.Uint64(list))
		if err == nil && c.Module == module && c.holds(pc) {
			return c, nil
		}
	}
	return nil, fmt.Errorf("code of pc 0x%x in module 0x%x: %w", pc, module, ErrNotFound)
}

func (c *WasmCode) holds(pc uint64) bool { return pc >= c.Start && pc < c.End }

func (r *Reader) wasmCode(at uint64) (*WasmCode, error) {
	c := &WasmCode{object: at}
	if _, err := r.read(c.head[:], at); err != nil {
		return nil, err
	}
	size := c.u32(r.l.At(layout.WasmCodeSize))
	if size == 0 || size > maxCode {
		return nil, fmt.Errorf("WasmCode 0x%x: %d bytes of instructions", at, size)
	}
	c.Module, c.Start = c.word(r.l.At(layout.WasmCodeModule)), c.word(r.l.At(layout.WasmCodeStart))
	c.End = c.Start + uint64(size)
	c.Index = int(int32(c.u32(r.l.At(layout.WasmCodeIndex))))
	return c, nil
}

func (c *WasmCode) word(at int) uint64 { return binary.LittleEndian.Uint64(c.head[at:]) }
func (c *WasmCode) u32(at int) uint32  { return binary.LittleEndian.Uint32(c.head[at:]) }

// SameWasm reports whether c still is what it was: code is freed when a better compiler's takes its place.
func (r *Reader) SameWasm(c *WasmCode) bool {
	now, err := r.wasmCode(c.object)
	return err == nil && now.head == c.head
}

// WasmTables is what a WasmCode says of its source.
type WasmTables struct {
	positions Positions
	inlined   []wasmInlined
}

// wasmInlined is an inlined call. V8 packs them: function i32, since V8 12 a flag of one byte, position u64.
// (src/codegen/source-position.h, WasmInliningPosition)
type wasmInlined struct {
	function int
	tail     bool     // what called it was done with that
	at       Position // of the call
}

// minInlining is how many bytes an entry has at least.
const minInlining = 12

// WasmCall is a point of execution: a function of the module, and an offset in its body, -1 for none.
type WasmCall struct{ Function, Offset int }

// WasmTables reads the tables of c.
func (r *Reader) WasmTables(c *WasmCode) (*WasmTables, error) {
	size := func(f layout.Field) uint64 {
		if !r.l.Has(f) {
			return 0
		}
		return uint64(c.u32(r.l.At(f)))
	}
	at := c.word(r.l.At(layout.WasmCodeTables)) + size(layout.WasmCodeTraps) + size(layout.WasmCodeRelocation)
	n, inlined := size(layout.WasmCodePositions), size(layout.WasmCodeInlining)
	if n > maxTable || inlined > 16*maxInlined {
		return nil, fmt.Errorf("WasmCode 0x%x: tables of %d and %d bytes", c.object, n, inlined)
	}
	b, err := r.Bytes(at, int(n+inlined))
	if err != nil {
		return nil, err
	}
	t := &WasmTables{}
	if t.positions, err = r.decodePositions(b[:n]); err != nil {
		return nil, err
	}
	entry := max(r.l.At(layout.WasmInliningEntry), minInlining)
	for b = b[n:]; len(b) >= entry; b = b[entry:] {
		t.inlined = append(t.inlined, wasmInlined{int(int32(binary.LittleEndian.Uint32(b))),
			entry > minInlining && b[4] != 0, position(0, int64(binary.LittleEndian.Uint64(b[entry-8:])))})
	}
	return t, nil
}

// Size is how many bytes they take, roughly; 0 of nil.
func (t *WasmTables) Size() int {
	if t == nil {
		return 0
	}
	return t.positions.size() + 32*len(t.inlined)
}

// Inlines reports whether other functions are inlined into the code; false of nil.
func (t *WasmTables) Inlines() bool { return t != nil && len(t.inlined) > 0 }

// Offsets are those in the code at which the position changes, in order.
func (t *WasmTables) Offsets() []int {
	out := make([]int, len(t.positions))
	for i, p := range t.positions {
		out[i] = int(p.Code)
	}
	return out
}

// Calls gives the functions that run at an offset of the code of a function, the innermost inlined one first and the
// code's own function last, without those that have returned by a tail call. Nil if the table contradicts itself.
// (src/execution/frames.cc, WasmFrame::Summarize)
func (t *WasmTables) Calls(function, offset int) []WasmCall {
	p, ok := t.positions.At(offset)
	if !ok {
		return []WasmCall{{function, -1}}
	}
	var calls []WasmCall
	gone := false
	add := func(function int) {
		if !gone {
			calls = append(calls, WasmCall{function, int(p.Source)})
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
