package heap

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf16"

	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of the parts of one cons string: a cycle, or a rope of single characters, ends there. A hidden class has up to
// a thousand names, each of which may be one.
const (
	maxPieces       = 1 << 16 // of a text
	maxSourcePieces = 1 << 6  // of a script's text, which V8 flattens before it compiles it, and of where its map is
	maxNamePieces   = 1 << 8  // of a name
)

// maxFlat is how many bytes of a string are read at a time. It is even.
const maxFlat = 256 << 10

// Text is the content of a string: Latin-1 or UTF-16 units, as V8 keeps them.
type Text struct {
	One []byte   // one byte a character
	Two []uint16 // used where any part has two-byte characters
}

// Len is the number of UTF-16 units.
func (t *Text) Len() int {
	if t.Two != nil {
		return len(t.Two)
	}
	return len(t.One)
}

// Units returns the UTF-16 units of the text. They are not to be changed.
func (t *Text) Units() []uint16 {
	if t.Two != nil {
		return t.Two
	}
	out := make([]uint16, len(t.One))
	for i, c := range t.One {
		out[i] = uint16(c)
	}
	return out
}

// String returns the text in UTF-8.
func (t *Text) String() string {
	if t.Two != nil {
		return string(utf16.Decode(t.Two))
	}
	for i, c := range t.One {
		if c >= 0x80 {
			return latin1(t.One, i)
		}
	}
	return string(t.One)
}

func latin1(b []byte, ascii int) string {
	out := append(make([]byte, 0, len(b)+16), b[:ascii]...)
	for _, c := range b[ascii:] {
		out = append(out, string(rune(c))...)
	}
	return string(out)
}

func (t *Text) widen() {
	if t.Two == nil {
		t.Two = make([]uint16, len(t.One))
		for i, c := range t.One {
			t.Two[i] = uint16(c)
		}
		t.One = nil
	}
}

// grow makes room for n more characters.
func (t *Text) grow(n, width int) {
	if width == 1 && t.Two == nil {
		t.One = slices.Grow(t.One, n)
		return
	}
	t.widen()
	t.Two = slices.Grow(t.Two, n)
}

func (t *Text) add(b []byte, width int) {
	if width == 1 && t.Two == nil {
		t.One = append(t.One, b...)
		return
	}
	t.widen()
	n := len(t.Two)
	t.Two = slices.Grow(t.Two, len(b)/width)[:n+len(b)/width]
	for i := range t.Two[n:] {
		if width == 1 {
			t.Two[n+i] = uint16(b[i])
		} else {
			t.Two[n+i] = binary.LittleEndian.Uint16(b[2*i:])
		}
	}
}

// piece is a part of a string that is still to be read: length units after the first skip.
type piece struct {
	w            Word
	skip, length int
	sliced       bool // of a sliced string, whose parent is flat
}

// String reads a name or another short string of any representation. One of more than limit UTF-16 units is cut there.
func (r *Reader) String(w Word, limit int) (string, error) {
	t, err := r.pieces(piece{w: w, length: limit}, maxNamePieces)
	if err != nil {
		return "", err
	}
	return t.String(), nil
}

// Text is String for long strings, and without the conversion to UTF-8.
func (r *Reader) Text(w Word, limit int) (*Text, error) {
	return r.pieces(piece{w: w, length: limit}, maxPieces)
}

// pieces reads a string of any representation. The length that it says counts: V8 flattens a string of two parts, or
// makes it a key, by one store after the other, and in between its first part is all of it, and the second still what
// it was. (src/objects/string.cc, String::SlowFlatten and MakeThin)
func (r *Reader) pieces(whole piece, most int) (*Text, error) {
	t, limit := &Text{}, whole.length
	pieces := []piece{whole}
	for n := 0; len(pieces) > 0 && t.Len() < limit; n++ {
		if n == most {
			return nil, fmt.Errorf("string 0x%x has more than %d parts", uint64(whole.w), most)
		}
		p := pieces[len(pieces)-1]
		pieces = pieces[:len(pieces)-1]
		p.length = min(p.length, limit-t.Len())
		more, err := r.part(t, &p)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			limit = p.length
		}
		pieces = append(pieces, more...)
	}
	if t.Len() < limit {
		return nil, fmt.Errorf("string 0x%x: its parts have %d characters of %d", uint64(whole.w), t.Len(), limit)
	}
	return t, nil
}

// part adds a flat piece to t, or says what a piece of another representation stands for, last part first. It lowers
// p.length to what there is. (src/objects/string.h)
func (r *Reader) part(t *Text, p *piece) ([]piece, error) {
	w, hiddenClass, err := r.Forwarded(p.w)
	if err != nil {
		return nil, err
	}
	typ, err := r.TypeOf(hiddenClass)
	if err != nil {
		return nil, err
	}
	if typ >= r.l.At(layout.FirstNonStringType) {
		return nil, &TypeError{w, typ, "string"}
	}
	n, err := r.u32(w, layout.StringLength)
	if err != nil {
		return nil, err
	}
	p.length = max(0, min(p.length, int(n)-p.skip))
	switch typ & r.l.At(layout.StringRepresentationMask) {
	case r.l.At(layout.SeqStringTag):
		if other, ok := r.reference(w, typ, n); ok {
			return []piece{{w: other, skip: p.skip, length: p.length, sliced: p.sliced}}, nil
		}
		return nil, r.flat(t, w.address()+uint64(r.l.At(layout.SeqStringChars)), typ, *p)
	case r.l.At(layout.ExternalStringTag):
		return nil, r.external(t, w, typ, *p)
	case r.l.At(layout.ThinStringTag):
		actual, err := r.field(w, layout.ThinStringActual)
		return []piece{{w: actual, skip: p.skip, length: p.length, sliced: p.sliced}}, err
	case r.l.At(layout.SlicedStringTag):
		return r.sliced(w, *p)
	case r.l.At(layout.ConsStringTag):
		return r.cons(w, *p)
	}
	return nil, &TypeError{w, typ, "string"}
}

// reference is the string that a flat one of n characters is becoming a reference to, if it is: V8 writes the
// reference over the first characters, and the hidden class last. (src/objects/string.cc, String::MakeThin) No text is
// the address of a string as long.
func (r *Reader) reference(flat Word, typ int, n uint32) (Word, bool) {
	chars, err := r.field(flat, layout.SeqStringChars)
	if err != nil || n < 4 || n < 8 && typ&r.l.At(layout.StringOneByteBit) != 0 || !chars.IsObject() || chars>>48 != 0 {
		return 0, false // what is behind less than eight bytes of text may be anything
	}
	length, err := r.u32(chars, layout.StringLength)
	other, failed := r.Type(chars)
	return chars, err == nil && failed == nil && length == n && other < r.l.At(layout.FirstNonStringType)
}

func (r *Reader) flat(t *Text, chars uint64, typ int, p piece) error {
	width := 2
	if typ&r.l.At(layout.StringOneByteBit) != 0 {
		width = 1
	}
	t.grow(p.length, width)
	at := chars + uint64(p.skip*width)
	for left := p.length * width; left > 0; {
		b, err := r.Bytes(at, min(left, maxFlat))
		if err != nil {
			return err
		}
		t.add(b, width)
		r.work += len(b) * width * width / textOfWork
		at, left = at+uint64(len(b)), left-len(b)
	}
	return nil
}

func (r *Reader) external(t *Text, w Word, typ int, p piece) error {
	if typ&r.l.At(layout.StringUncachedExternalBit) != 0 {
		return fmt.Errorf("string 0x%x: external, and V8 keeps no pointer to its data", uint64(w))
	}
	data, err := r.field(w, layout.ExternalStringData)
	if err != nil {
		return err
	}
	return r.flat(t, uint64(data), typ, p)
}

func (r *Reader) sliced(w Word, p piece) ([]piece, error) {
	parent, err := r.field(w, layout.SlicedStringParent)
	if err != nil {
		return nil, err
	}
	offset, err := r.field(w, layout.SlicedStringOffset)
	if err == nil && (!offset.IsSmi() || offset.Smi() < 0) {
		err = fmt.Errorf("sliced string 0x%x: offset 0x%x", uint64(w), uint64(offset))
	}
	return []piece{{w: parent, skip: p.skip + offset.Smi(), length: p.length, sliced: true}}, err
}

func (r *Reader) cons(w Word, p piece) ([]piece, error) {
	first, err := r.field(w, layout.ConsStringFirst)
	if err != nil {
		return nil, err
	}
	second, err := r.field(w, layout.ConsStringSecond)
	if p.sliced {
		err = fmt.Errorf("sliced string of a cons string 0x%x", uint64(w))
	}
	if err != nil || p.skip == 0 {
		return []piece{{w: second, length: p.length}, {w: first, length: p.length}}, err
	}
	n, err := r.u32(first, layout.StringLength)
	if int64(n) <= int64(p.skip) {
		return []piece{{w: second, skip: p.skip - int(n), length: p.length}}, err
	}
	return []piece{{w: second, length: p.length}, {w: first, skip: p.skip, length: p.length}}, err
}
