package heap

import (
	"fmt"
	"slices"
	"sort"

	"github.com/hotspan/hotspan/v8/layout"
)

// maxTable bounds the bytes of one position table. That of a function with a megabyte of source has some 200 KB.
const maxTable = 1 << 20

// Position is an entry of a source position table.
type Position struct {
	Code     int32 // offset in the bytecode or machine code
	Source   int32 // offset in the script's source; -1 = none
	Inlining int32 // index of the inlined call it belongs to; -1 = the function itself
}

// Positions is a decoded source position table, by Code.
type Positions []Position

// Size is how many bytes it takes.
func (p Positions) Size() int { return 12 * len(p) }

// At is the last entry at or before a code offset.
func (p Positions) At(code int) (Position, bool) {
	i := sort.Search(len(p), func(i int) bool { return int(p[i].Code) > code })
	if i == 0 {
		return Position{}, false
	}
	return p[i-1], true
}

// SourceAt is the source position at a code offset. What comes before the first entry is the function's entry.
func (p Positions) SourceAt(code int) int {
	if e, ok := p.At(code); ok {
		return int(e.Source)
	}
	if len(p) > 0 {
		return int(p[0].Source)
	}
	return -1
}

// varint reads the variable-length integers of V8's tables: seven bits a byte, least significant first, bit 7 = more.
// (src/base/vlq.h)
type varint struct{ b []byte }

func (v *varint) next() (uint64, bool) {
	var n uint64
	for i, c := range v.b {
		if i == 10 {
			return 0, false
		}
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			v.b = v.b[i+1:]
			return n, true
		}
	}
	return 0, false
}

func zigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// decodePositions reads V8's table of deltas; both running values start at code offset -1 and source position 0.
// Up to V8 13.6 the first number is signed, its sign says "expression"; later its two low bits are flags.
// (src/codegen/source-position-table.cc)
func decodePositions(b []byte, unsigned bool) (Positions, error) {
	v, numbers := varint{b}, 0
	for _, c := range b {
		if c < 0x80 {
			numbers++
		}
	}
	var out Positions
	code, source := int64(-1), int64(0)
	for len(v.b) > 0 {
		first, ok1 := v.next()
		second, ok2 := v.next()
		if !ok1 || !ok2 {
			return out, fmt.Errorf("position table: entry %d is cut off", len(out))
		}
		switch delta := zigzag(first); {
		case unsigned:
			code += int64(first >> 2)
		case delta >= 0:
			code += delta
		default:
			code -= delta + 1
		}
		source += zigzag(second)
		if code < -1 || code > 1<<31-1 { // -1 is the function's entry
			return out, fmt.Errorf("position table: entry %d: code offset %d", len(out), code)
		}
		if out == nil {
			out = make(Positions, 0, numbers/2)
		}
		out = append(out, NewPosition(code, source))
	}
	return out, nil
}

// NewPosition takes apart the word of a SourcePosition, of an offset in the code. (src/codegen/source-position.h)
func NewPosition(code, word int64) Position {
	return Position{Code: int32(code), Source: int32(word>>1&0x3fffffff) - 1, Inlining: int32(word>>31&0xffff) - 1}
}

// ByteArray reads a ByteArray or TrustedByteArray of at most limit bytes.
func (r *Reader) ByteArray(w Word, limit int) ([]byte, error) {
	n, err := r.field(w, layout.FixedArrayLength)
	if err != nil {
		return nil, err
	}
	if !n.IsSmi() || n.Smi() < 0 || n.Smi() > limit {
		return nil, fmt.Errorf("byte array 0x%x: length 0x%x", uint64(w), uint64(n))
	}
	return r.Bytes(w.address()+uint64(r.l.At(layout.FixedArrayData)), n.Smi())
}

// positions reads the source position table that slot f of object w points to.
func (r *Reader) positions(w Word, f layout.Field) (Positions, error) {
	table, err := r.field(w, f)
	if err != nil {
		return nil, err
	}
	b, err := r.ByteArray(table, maxTable)
	if err != nil {
		return nil, fmt.Errorf("%v of 0x%x: %w", f, uint64(w), err)
	}
	return r.DecodePositions(b)
}

// DecodePositions decodes the bytes of a position table. What comes before an error is right.
func (r *Reader) DecodePositions(b []byte) (Positions, error) {
	p, err := decodePositions(b, r.l.At(layout.PositionsUnsigned) == 1)
	r.work += len(p) / entriesOfWork
	return p, err
}

// CodePositions reads the position table of code of an optimising compiler.
func (r *Reader) CodePositions(c *Code) (Positions, error) {
	b, err := r.ByteArray(c.word(r.l.At(layout.CodePositions)), maxTable)
	if err != nil {
		return nil, fmt.Errorf("positions of code 0x%x: %w", uint64(c.object), err)
	}
	return r.DecodePositions(b)
}

// Bytecode is what is kept of a BytecodeArray.
type Bytecode struct {
	Positions Positions
	header    int // bytes before the first bytecode, less the tag
	length    int
	first     uint64 // address of the first bytecode
}

// Size is how many bytes it takes, roughly.
func (b *Bytecode) Size() int { return b.Positions.Size() + 64 }

// Offset turns what the interpreter keeps in its frame into an offset of the bytecode; -1 is the function's entry.
// (src/interpreter/interpreter-generator.cc: the offset counts from the tagged array)
func (b *Bytecode) Offset(smi int) (int, bool) {
	at := smi - b.header
	return at, at >= -1 && at < b.length
}

// Equal reports whether two BytecodeArrays have the same places in the source at each of their offsets.
func (b *Bytecode) Equal(other *Bytecode) bool {
	return b.header == other.header && b.length == other.length && slices.Equal(b.Positions, other.Positions)
}

// IsBytecode reports whether a word points to a BytecodeArray.
func (r *Reader) IsBytecode(w Word) bool { return r.want(w, layout.TypeBytecodeArray) == nil }

// Bytecode reads a BytecodeArray. (src/objects/bytecode-array.h)
func (r *Reader) Bytecode(w Word) (*Bytecode, error) {
	if err := r.want(w, layout.TypeBytecodeArray); err != nil {
		return nil, err
	}
	n, err := r.field(w, layout.BytecodeArrayLength)
	if err != nil || !n.IsSmi() || n.Smi() < 0 {
		return nil, fmt.Errorf("bytecode 0x%x: length 0x%x", uint64(w), uint64(n))
	}
	first := r.l.At(layout.BytecodeArrayFirstByte)
	p, err := r.positions(w, layout.BytecodeArrayPositions)
	if err != nil {
		return nil, err
	}
	return &Bytecode{Positions: p, header: first - 1, length: n.Smi(), first: w.address() + uint64(first)}, nil
}
