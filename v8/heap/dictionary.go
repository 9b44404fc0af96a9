package heap

import (
	"cmp"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// NamedValue is a property or an entry of a Map by its key.
type NamedValue struct {
	Name       string
	Symbol     bool // the name is the description of a symbol
	Registered bool // a symbol that Symbol.for gives
	Secret     bool // a symbol that is a private name of a class
	Hash       uint32
	Value      Word
}

// named reads a key of a table; ok is false where it is no name.
func (r *Reader) named(key, value Word) (n NamedValue, ok bool) {
	var err error
	if n.Name, n.Symbol, err = r.Key(key); err != nil {
		return n, false
	}
	h, err := r.u32(key, layout.NameHash)
	n.Hash, n.Value = h>>2, value
	n.Registered, n.Secret = r.symbolFlags(key, n.Symbol)
	return n, err == nil
}

// NamedEntries are the entries of a JSMap whose keys are strings or symbols.
func (r *Reader) NamedEntries(m Word) ([]NamedValue, error) {
	entries, err := r.Entries(m)
	var out []NamedValue
	for _, e := range entries {
		if n, ok := r.named(e.Key, e.Value); ok {
			out = append(out, n)
		}
	}
	return out, err
}

// Dictionary reads the data properties of an object in dictionary mode.
func (r *Reader) Dictionary(object Word) ([]NamedValue, error) {
	var out []NamedValue
	err := r.dictionary(object, maxEntries, func(key, value, details Word) {
		if !details.IsSmi() || details.Smi()&1 != 0 {
			return // an accessor, or empty
		}
		if n, ok := r.named(key, value); ok {
			out = append(out, n)
		}
	})
	return out, err
}

// dictionary calls f for each entry, also for empty ones, of which there may be so many. A NameDictionary has the
// numbers of elements, of deleted ones and of entries, a prefix, and the entries. (src/objects/hash-table.h,
// src/objects/dictionary.h)
func (r *Reader) dictionary(object Word, most int, f func(key, value, details Word)) error {
	err := cmp.Or(r.l.Within(0, 8, layout.NameDictionaryPrefix), r.l.Within(8, 64, layout.FixedArrayData))
	if err != nil {
		return err
	}
	object, _, err = r.Forwarded(object)
	if err != nil {
		return err
	}
	table, err := r.field(object, layout.JSReceiverPropertiesOrHash)
	if err != nil {
		return err
	}
	if table, _, err = r.Forwarded(table); err != nil {
		return err
	}
	data := table.address() + uint64(r.l.At(layout.FixedArrayData))
	capacity, err := r.WordAt(data + 16)
	if err != nil {
		return err
	}
	if n := capacity.Smi(); !capacity.IsSmi() || n < 1 || n > most || n&(n-1) != 0 {
		return fmt.Errorf("object 0x%x: dictionary of %d entries", uint64(object), n)
	}
	b, err := r.Bytes(data+8*uint64(3+r.l.At(layout.NameDictionaryPrefix)), 24*capacity.Smi())
	if err != nil {
		return err
	}
	for ; len(b) >= 24; b = b[24:] {
		f(wordAt(b, 0), wordAt(b, 1), wordAt(b, 2))
	}
	return nil
}

// Element reads an element of a JSArray of tagged words.
func (r *Reader) Element(array Word, i int) (Word, error) {
	if err := r.want(array, layout.TypeJSArray); err != nil {
		return 0, err
	}
	array, _, err := r.Forwarded(array)
	if err != nil {
		return 0, err
	}
	length, err := r.field(array, layout.JSArrayLength)
	if err != nil {
		return 0, err
	}
	elements, err := r.field(array, layout.JSObjectElements)
	if err != nil {
		return 0, err
	}
	if err := r.want(elements, layout.TypeFixedArray); err != nil {
		return 0, err
	}
	if elements, _, err = r.Forwarded(elements); err != nil {
		return 0, err
	}
	room, err := r.field(elements, layout.FixedArrayLength)
	if err != nil || !length.IsSmi() || i < 0 || i >= length.Smi() || i >= room.Smi() {
		return 0, fmt.Errorf("element %d of array 0x%x: %w", i, uint64(array), ErrNotFound)
	}
	return r.WordAt(elements.address() + uint64(r.l.At(layout.FixedArrayData)) + 8*uint64(i))
}

// Boolean reports whether an Oddball is true or false; ok is false where it is neither.
func (r *Reader) Boolean(w Word) (value, ok bool) {
	if r.want(w, layout.TypeOddball) != nil {
		return false, false
	}
	kind, err := r.field(w, layout.OddballKind)
	if err != nil || !kind.IsSmi() {
		return false, false
	}
	value = kind.Smi() == r.l.At(layout.OddballTrue)
	return value, value || kind.Smi() == r.l.At(layout.OddballFalse)
}
