package stack

import (
	"errors"
	"fmt"

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
	Line, Column int    // 1-based
	Text         string // of the line, as far as it is kept; of several CodeLines of a line the first has it
}

// Limits of one piece of code: lines, and how many of their texts are read, in UTF-16 units each.
const (
	maxCodeLines = 1 << 14
	maxLineTexts = 1 << 8
	maxLineText  = 160
)

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
	l := lineTable{v: v, texts: map[sourceLine]bool{}}
	switch c := k.code; {
	case c == nil:
		l.ofWasm(k, text)
	case c.baseline != nil:
		l.ofBaseline(c)
	case c.optimized != nil:
		l.ofOptimized(c, text)
	}
	return text, l.lines, nil
}
