package stack

import (
	"errors"
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/v8/heap"
)

// CodeKey names a piece of machine code that V8 made at run time, for as long as it is where it is. One that takes its
// place has another key, and so has the same code elsewhere.
type CodeKey struct {
	code *code
	wasm heap.WasmCode
}

// Range is where the instructions are: [start, end).
func (k CodeKey) Range() (start, end uint64) {
	if k.code != nil {
		return k.code.Start, k.code.End
	}
	return k.wasm.Start, k.wasm.End
}

// CodeAt finds the machine code that a frame is in. False: it is in none, or that was gone before it was read.
func (v *Resolver) CodeAt(raw RawFrame) (CodeKey, bool) {
	if _, _, ok := v.builtinAt(raw); ok {
		return CodeKey{}, false
	}
	if c := v.wasmAt(raw.PC, raw.Exact); c != nil {
		return CodeKey{wasm: *c.WasmCode}, true
	}
	c := v.codeOf(raw.PC)
	return CodeKey{code: c}, c != nil
}

// CodeLine is the place in the source of the instructions from an offset of the code on, to the next CodeLine. It is
// that of the innermost function, where calls are inlined; Line is 0 where it is not known.
type CodeLine struct {
	Offset       int
	File         string
	Line, Column int // 1-based
}

// maxCodeLines bounds the lines of one piece of code.
const maxCodeLines = 1 << 14

// ErrCodeGone is the error of code that is not there any more.
var ErrCodeGone = errors.New("the code is gone")

// CopyCode reads a piece of machine code of at most so many bytes, and its lines as far as they are known. Call it in a
// sample for which CodeAt gave the key, after its frames were resolved.
func (v *Resolver) CopyCode(k CodeKey, most int) ([]byte, []CodeLine, error) {
	start, end := k.Range()
	if end-start > uint64(most) {
		return nil, nil, fmt.Errorf("code 0x%x: %d bytes", start, end-start)
	}
	text, err := v.r.Bytes(start, int(end-start))
	if err != nil {
		return nil, nil, fmt.Errorf("code 0x%x: %w", start, err)
	}
	if k.code != nil && !v.r.Same(k.code.Code) || k.code == nil && !v.r.SameWasm(&k.wasm) {
		return nil, nil, fmt.Errorf("code 0x%x: %w", start, ErrCodeGone)
	}
	l := lineTable{}
	switch c := k.code; {
	case c == nil:
		v.wasmLines(&l, k, text)
	case c.baseline != nil:
		v.baselineLines(&l, c)
	case c.optimized != nil:
		v.optimizedLines(&l, c, text)
	}
	return text, l.lines, nil
}

// lineTable collects lines by offset.
type lineTable struct{ lines []CodeLine }

// add has the instructions from an offset on be at a frame's place; nil: it is not known.
func (t *lineTable) add(offset int, f *Frame) {
	l := CodeLine{Offset: max(offset, 0)}
	if f != nil && f.Lost == NothingLost && f.Line > 0 {
		l.File, l.Line, l.Column = f.File, f.Line, f.Column
	}
	n := len(t.lines)
	if n > 0 && t.lines[n-1].Offset == l.Offset { // of several entries for an instruction the last counts
		n--
		t.lines = t.lines[:n]
	}
	if n > 0 && t.lines[n-1].File == l.File && t.lines[n-1].Line == l.Line && t.lines[n-1].Column == l.Column ||
		n == maxCodeLines {
		return
	}
	if n == maxCodeLines-1 { // the rest is not known
		l.File, l.Line, l.Column = "", 0, 0
	}
	t.lines = append(t.lines, l)
}

func (v *Resolver) baselineLines(t *lineTable, c *code) {
	of := v.ownerOf(c)
	fn := v.functions[of.id]
	if fn == nil {
		return
	}
	from := 0
	for end, bytecode := range v.r.Bytecodes(c.baseline) {
		f := fn.frame(Sparkplug)
		v.locate(f, fn, sourceAt(c.baseline.Bytecode.Positions, bytecode))
		t.add(from, f)
		from = end
	}
	t.add(from, nil)
}

// optimizedLines has lines for the code proper. Out-of-line code and deopt exits have no entries in the position table:
// behind the last entry, and in deferred code, an entry ends where its block does.
func (v *Resolver) optimizedLines(t *lineTable, c *code, text []byte) {
	positions := c.optimized.Positions
	deferred := deferredStart(text)
	for i, p := range positions {
		from, to := max(int(p.Code), 0), len(text)
		if i+1 < len(positions) {
			to = int(positions[i+1].Code)
		}
		if from > to || to > len(text) {
			return // the table is no table of this code
		}
		t.add(from, v.innermost(c, from))
		if i+1 == len(positions) || from >= deferred {
			if n := blockSize(text[from:to]); from+n < to {
				t.add(from+n, nil)
			}
		}
	}
}

// innermost is the frame of the innermost function at an offset of optimised code; nil: not known.
func (v *Resolver) innermost(c *code, offset int) *Frame {
	if fs := v.positioned(c, offset); len(fs) > 0 {
		return fs[0]
	}
	return nil
}

// blockSize is the size of the code up to an unconditional jump.
func blockSize(text []byte) (n int) {
	for n < len(text) {
		in, err := x86asm.Decode(text[n:], 64)
		if err != nil {
			return n
		}
		n += in.Len
		if in.Op == x86asm.JMP || in.Op == x86asm.RET {
			return n
		}
	}
	return n
}

// wasmLines gives the lines that frames of WebAssembly have: the module is one line of bytes.
func (v *Resolver) wasmLines(t *lineTable, k CodeKey, text []byte) {
	tables, err := v.r.WasmTables(&k.wasm)
	m := v.wasmModule(k.wasm.Module)
	if err != nil || m == nil {
		return
	}
	for _, offset := range tables.Offsets() {
		calls := tables.Calls(k.wasm.Index, offset)
		if len(calls) == 0 || offset > len(text) {
			return
		}
		t.add(offset, v.wasmFrame(m, calls[0]))
	}
}
