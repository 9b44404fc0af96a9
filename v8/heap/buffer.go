package heap

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// Buffer is an ArrayBuffer or a SharedArrayBuffer.
type Buffer struct {
	Data, Length                uint64 // address, and number of bytes
	Detached, Shared, Resizable bool
}

// Buffer reads a JSArrayBuffer. (src/objects/js-array-buffer.tq)
func (r *Reader) Buffer(w Word) (b Buffer, err error) {
	if w, _, err = r.Forwarded(w); err != nil {
		return b, err
	}
	flags, err := r.u32(w, layout.JSArrayBufferFlags)
	if err != nil {
		return b, err
	}
	b.Detached, b.Shared, b.Resizable = flags>>2&1 == 1, flags>>4&1 == 1, flags>>5&1 == 1
	length, err := r.field(w, layout.JSArrayBufferByteLength)
	if err != nil {
		return b, err
	}
	data, err := r.field(w, layout.JSArrayBufferBackingStore)
	b.Data, b.Length = uint64(data), uint64(length)
	if err == nil && b.Shared && b.Resizable {
		b.Length, err = r.grown(w, b.Data)
	}
	return b, err
}

var errGrown = errors.New("it can grow: how long it is now is not known")

// grown is the length of a SharedArrayBuffer that can grow, at data. Threads share it, so it is in none of their heaps:
// the buffer has an extension, which refers to a BackingStore first, or behind a word with flags of the collector's.
// (src/objects/js-array-buffer.h, ArrayBufferExtension)
func (r *Reader) grown(w Word, data uint64) (uint64, error) {
	at := w.address() + uint64(r.l.At(layout.JSArrayBufferBackingStore))
	most, err := r.WordAt(at - 8)
	if err != nil {
		return 0, err
	}
	extension, err := r.WordAt(at + 8)
	if err != nil {
		return 0, err
	}
	for offset := range uint64(2) {
		store, err := r.WordAt(uint64(extension) + 8*offset)
		if err != nil {
			return 0, err
		}
		if n, ok := r.stored(uint64(store), data, uint64(most)); ok {
			return n, nil
		}
	}
	return 0, errGrown
}

// stored is the length in a BackingStore, if it is the one of the bytes at data: it begins with their address, how many
// there are, and how many there may be, which the buffer has too. (src/objects/backing-store.h)
func (r *Reader) stored(at, data, most uint64) (uint64, bool) {
	b, err := r.Bytes(at, 24)
	if err != nil {
		return 0, false
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return word(1), word(0) == data && word(1) <= most && word(2) == most
}

// View is what a typed array or a DataView shows of a buffer.
type View struct {
	Buffer         Word
	Offset, Length uint64 // bytes
	tracks         bool   // it ends where the buffer does
}

// Within is how many bytes a view shows of its buffer, whose length may have changed. ok is false where it begins or
// ends outside of that. The buffer of a small array whose elements are in the heap has no length.
// (src/objects/js-array-buffer.cc, JSTypedArray::GetVariableByteLengthOrOutOfBounds)
func (v *View) Within(b *Buffer) (n uint64, ok bool) {
	switch {
	case b.Detached:
		return 0, false
	case !b.Resizable:
		return v.Length, true
	case v.Offset > b.Length:
		return 0, false
	case v.tracks:
		return b.Length - v.Offset, true
	}
	return v.Length, v.Length <= b.Length-v.Offset
}

// View reads a JSArrayBufferView.
func (r *Reader) View(w Word) (v View, err error) {
	if w, _, err = r.Forwarded(w); err != nil {
		return v, err
	}
	if v.Buffer, err = r.field(w, layout.JSArrayBufferViewBuffer); err != nil {
		return v, err
	}
	offset, err := r.field(w, layout.JSArrayBufferViewByteOffset)
	if err != nil {
		return v, err
	}
	length, err := r.field(w, layout.JSArrayBufferViewByteLength)
	if err != nil {
		return v, err
	}
	v.Offset, v.Length = uint64(offset), uint64(length)
	// Flags are between buffer and offset, or behind the length. (src/objects/js-array-buffer.tq)
	flags := r.l.At(layout.JSArrayBufferViewByteOffset) - 8
	if flags == r.l.At(layout.JSArrayBufferViewBuffer) {
		flags = r.l.At(layout.JSArrayBufferViewByteLength) + 8
	}
	b, err := r.Bytes(w.address()+uint64(flags), 1)
	v.tracks = err == nil && b[0]&1 == 1
	return v, err
}

// TypedData is the address of the elements of a typed array. Small ones are in the heap.
func (r *Reader) TypedData(w Word) (uint64, error) {
	w, _, err := r.Forwarded(w)
	if err != nil {
		return 0, err
	}
	external, err := r.field(w, layout.JSTypedArrayExternal)
	if err != nil {
		return 0, err
	}
	base, err := r.field(w, layout.JSTypedArrayBase)
	if err == nil && base != 0 && !base.IsObject() {
		err = fmt.Errorf("typed array 0x%x: base 0x%x", uint64(w), uint64(base))
	}
	return uint64(external) + uint64(base), err
}

// ElementsKind is the kind of an object's elements, and that of elements in a dictionary, after which those of typed
// arrays come. (src/objects/elements-kind.h)
func (r *Reader) ElementsKind(w Word) (kind, dictionary int, err error) {
	flags, err := r.mapByte(w, layout.MapElementsKind)
	return int(flags >> 2), r.l.At(layout.KindDictionaryElements), err
}

// Intercepted reports whether C++ is asked for the properties of an object, or for its elements.
// (src/objects/map.h, HasNamedInterceptorBit and HasIndexedInterceptorBit)
func (r *Reader) Intercepted(w Word) (bool, error) {
	flags, err := r.mapByte(w, layout.MapBitField)
	return flags&(1<<2|1<<3) != 0, err
}

// mapByte reads a byte of an object's hidden class.
func (r *Reader) mapByte(w Word, f layout.Field) (byte, error) {
	at := r.l.At(f)
	_, hiddenClass, err := r.Forwarded(w)
	if err != nil || at < 0 || !hiddenClass.IsObject() {
		return 0, fmt.Errorf("%v of 0x%x is not known", f, uint64(w))
	}
	b, err := r.Bytes(hiddenClass.address()+uint64(at), 1)
	return b[0], err
}

// maxDigits bounds a BigInt: 16 KiB.
const maxDigits = 1 << 11

// BigInt reads a BigInt: its words, least first. One that is longer than what is read has none, but its bits are said.
func (r *Reader) BigInt(w Word) (negative bool, digits []uint64, bits int, err error) {
	if w, _, err = r.Forwarded(w); err != nil {
		return false, nil, 0, err
	}
	field, err := r.u32(w, layout.BigIntBitField)
	if err != nil {
		return false, nil, 0, err
	}
	n := int(field >> 1 & (1<<30 - 1))
	if n > maxDigits || !r.l.Has(layout.BigIntDigits) {
		return false, nil, 64 * n, nil
	}
	b, err := r.Bytes(w.address()+uint64(r.l.At(layout.BigIntDigits)), 8*n)
	if err != nil {
		return false, nil, 0, err
	}
	for ; len(b) > 0; b = b[8:] {
		digits = append(digits, binary.LittleEndian.Uint64(b))
	}
	return field&1 == 1, digits, 64 * n, nil
}

// Part reads a field of an object, by its offset, which is known of all layouts that have it.
func (r *Reader) Part(w Word, f layout.Field) (Word, error) {
	w, _, err := r.Forwarded(w)
	if err != nil {
		return 0, err
	}
	return r.field(w, f)
}
