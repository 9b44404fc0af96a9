package layout

import (
	"encoding/binary"
	"errors"
)

// AppendBinary appends the layout in a form that UnmarshalBinary of the same version of this package reads. The error
// is always nil. (encoding.BinaryAppender)
func (l *Layout) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(NumFields))
	for _, v := range l.Values {
		b = binary.AppendVarint(append(b, byte(v.State)), v.N)
		b = appendText(b, v.Origin)
	}
	for _, n := range []int{l.V8.Major, l.V8.Minor, l.V8.Build, l.V8.Patch} {
		b = binary.AppendVarint(b, int64(n))
	}
	for _, s := range []string{l.Node, l.BuildID} {
		b = appendText(b, s)
	}
	for _, r := range []Range{l.Text, l.Builtins} {
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, r.Start), r.End), r.FileOffset)
	}
	for _, table := range [][]byte{l.BytecodeSizes, l.TranslationOperands, l.Handlers} {
		b = append(b, byte(min(cap(table), 1))) // an empty table is not a missing one
		b = appendText(b, string(table))
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, l.WasmState), l.IsolateIndex)
	b = binary.AppendUvarint(b, uint64(len(l.Notes)))
	for _, n := range l.Notes {
		b = appendText(b, n)
	}
	return b, nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errEncoded = errors.New("layout: damaged, or of another version")

// UnmarshalBinary reads what AppendBinary has written. The error says that it is damaged, or that it has other fields.
// (encoding.BinaryUnmarshaler)
func (l *Layout) UnmarshalBinary(b []byte) error {
	d := decoder{b: b}
	if d.number() != uint64(NumFields) {
		return errEncoded
	}
	var out Layout
	for i := range out.Values {
		out.Values[i] = Value{State: State(d.bytes(1)[0]), N: d.signed(), Origin: d.text()}
	}
	for _, n := range []*int{&out.V8.Major, &out.V8.Minor, &out.V8.Build, &out.V8.Patch} {
		*n = int(d.signed())
	}
	out.Node, out.BuildID = d.text(), d.text()
	for _, r := range []*Range{&out.Text, &out.Builtins} {
		*r = Range{d.number(), d.number(), d.number()}
	}
	for _, table := range []*[]byte{&out.BytecodeSizes, &out.TranslationOperands, &out.Handlers} {
		present := d.bytes(1)[0] != 0
		if text := d.text(); present {
			*table = []byte(text)
		}
	}
	out.WasmState, out.IsolateIndex = d.number(), d.number()
	for n := d.number(); n > 0 && !d.short; n-- {
		out.Notes = append(out.Notes, d.text())
	}
	if d.short || len(d.b) > 0 {
		return errEncoded
	}
	*l = out
	return nil
}

// decoder reads from the front of b. After what is cut off all is zero.
type decoder struct {
	b     []byte
	short bool
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.b, d.short = nil, true
		return make([]byte, min(n, 1))
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.b)
	d.bytes(uint64(max(n, 0)))
	d.short = d.short || n <= 0
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.b)
	d.bytes(uint64(max(n, 0)))
	d.short = d.short || n <= 0
	return v
}

func (d *decoder) text() string { return string(d.bytes(d.number())) }
