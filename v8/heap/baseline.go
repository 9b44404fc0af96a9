package heap

import (
	"fmt"
	"iter"

	"github.com/hotspan/hotspan/v8/layout"
)

// Baseline is what is kept of a Code object of Sparkplug.
type Baseline struct {
	Bytecode *Bytecode
	Array    Word // the BytecodeArray
	table    []byte
	bytes    []byte // the bytecodes
}

// Size is how many bytes it takes, roughly; 0 of nil.
func (b *Baseline) Size() int {
	if b == nil {
		return 0
	}
	return b.Bytecode.Size() + len(b.table) + len(b.bytes)
}

// Baseline reads the bytecode that baseline code was made of and the table that goes with it. In V8 9 the code does not
// say of what it was made, which is an error: there BaselineOf and BaselineFrom do.
func (r *Reader) Baseline(c *Code) (*Baseline, error) {
	array, err := r.withoutEntry(c.word(r.l.At(layout.CodeDeoptData)))
	if err != nil {
		return nil, err
	}
	return r.BaselineFrom(c, array)
}

// BaselineOf is Baseline by a function that refers to the code. Only V8 9 needs it: where the reference is another, it
// is ErrNotFound.
func (r *Reader) BaselineOf(c *Code, sfi Word) (*Baseline, error) {
	data, err := r.field(sfi, layout.SFITrustedData)
	if err != nil {
		return nil, err
	}
	if r.want(data, layout.TypeBaselineData) != nil {
		return nil, ErrNotFound
	}
	if code, err := r.field(data, layout.BaselineDataCode); err != nil || code != c.object {
		return nil, ErrNotFound
	}
	array, err := r.BytecodeOf(sfi)
	if err != nil {
		return nil, err
	}
	return r.BaselineFrom(c, array)
}

// BaselineFrom is Baseline for a BytecodeArray that is known to be the code's.
func (r *Reader) BaselineFrom(c *Code, array Word) (*Baseline, error) {
	b := &Baseline{Array: array}
	var err error
	if b.Bytecode, err = r.Bytecode(b.Array); err != nil {
		return nil, fmt.Errorf("baseline code 0x%x: %w", uint64(c.object), err)
	}
	if b.Bytecode.length > maxBytecode {
		return nil, fmt.Errorf("baseline code 0x%x: %d bytes of bytecode", uint64(c.object), b.Bytecode.length)
	}
	if b.bytes, err = r.Bytes(b.Bytecode.first, b.Bytecode.length); err != nil {
		return nil, err
	}
	b.table, err = r.ByteArray(c.word(r.l.At(layout.CodePositions)), maxTable)
	return b, err
}

// Offset goes from a return address, as an offset of the machine code, to the bytecode that it belongs to; -1 is the
// prologue.
func (r *Reader) Offset(b *Baseline, pc int) (int, error) {
	last := 0
	for end, at := range r.Bytecodes(b) {
		if uint64(end) >= uint64(pc) {
			return at, nil
		}
		last = end
	}
	return 0, fmt.Errorf("baseline code: offset %d is past its table's end %d", pc, last)
}

// Bytecodes gives where the machine code of the prologue ends, with -1, and then that of each bytecode, with its
// offset, as far as the table and the bytecode agree. The table holds the sizes of the machine code: of the prologue,
// then of each bytecode in order. (src/baseline/bytecode-offset-iterator.h)
func (r *Reader) Bytecodes(b *Baseline) iter.Seq2[int, int] {
	return func(yield func(end, at int) bool) {
		v := varint{b.table}
		at, next, end := -1, 0, 0
		for {
			size, ok := v.next()
			if !ok || size > maxCode {
				return
			}
			if end += int(size); !yield(end, at) || next >= len(b.bytes) {
				return
			}
			n, err := r.bytecodeSize(b.bytes, next)
			if err != nil {
				return
			}
			at, next = next, next+n
		}
	}
}

// bytecodeSize is the size of the bytecode at an offset with its prefix. The first four opcodes are Wide, ExtraWide
// and the same two of the debugger. (src/interpreter/bytecodes.h)
func (r *Reader) bytecodeSize(code []byte, at int) (int, error) {
	sizes, n := r.l.BytecodeSizes, len(r.l.BytecodeSizes)/3
	scale, prefix := 0, 0
	if code[at] <= 3 {
		scale, prefix = 1+int(code[at]&1), 1
	}
	if at+prefix >= len(code) || int(code[at+prefix]) >= n {
		return 0, fmt.Errorf("bytecode at offset %d is not known (table of %d)", at, n)
	}
	return prefix + int(sizes[scale*n+int(code[at+prefix])]), nil
}
