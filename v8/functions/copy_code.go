package functions

import (
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/v8/functions/builtins"
	"github.com/hotspan/hotspan/v8/stack"
)

// CodeAt finds the machine code that a frame is in. False: it is in none, or that was gone before it was read.
func (v *Resolver) CodeAt(raw stack.RawFrame) (CodeKey, bool) {
	if _, _, ok := builtins.Of(raw, v.space); ok {
		return CodeKey{}, false
	}
	if c := v.wasmAt(raw.PC, raw.Exact); c != nil {
		return CodeKey{wasm: *c.Code}, true
	}
	c := v.codeIn(raw)
	return CodeKey{code: c}, c != nil
}

var errCodeGone = errors.New("it is gone")

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
	if k.code != nil && !v.r.Same(k.code.Code) || k.code == nil && !k.wasm.Same(v.r) {
		return nil, nil, fmt.Errorf("code 0x%x: %w", start, errCodeGone)
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
