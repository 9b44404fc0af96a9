package heap

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// Dictionary reads the properties of an object whose hidden class says that they are in a dictionary: a NameDictionary
// begins with the numbers of elements, of deleted ones and of places, and a prefix; each place has key, value and
// details. The entries have keys that are names; free places are left out. (src/objects/hash-table.h)
func (r *Reader) Dictionary(object Word) ([]Entry, error) {
	object, _, err := r.Moved(object)
	if err != nil {
		return nil, err
	}
	table, err := r.field(object, layout.JSReceiverPropertiesOrHash)
	if err != nil {
		return nil, err
	}
	if table, _, err = r.Moved(table); err != nil {
		return nil, err
	}
	data := table.address() + uint64(r.l.At(layout.FixedArrayData))
	places, err := r.WordAt(data + 16)
	if err != nil {
		return nil, err
	}
	if !places.IsSmi() || places.Smi() < 0 || places.Smi() > maxEntries {
		return nil, fmt.Errorf("dictionary 0x%x: 0x%x places", uint64(table), uint64(places))
	}
	b, err := r.Bytes(data+8*uint64(3+r.l.At(layout.NameDictionaryPrefix)), 24*places.Smi())
	if err != nil {
		return nil, err
	}
	var out []Entry
	for ; len(b) >= 24; b = b[24:] {
		e := Entry{Word(binary.LittleEndian.Uint64(b)), Word(binary.LittleEndian.Uint64(b[8:]))}
		if t, err := r.Type(e.Key); err == nil && t <= r.l.At(layout.TypeSymbol) {
			out = append(out, e)
		}
	}
	return out, nil
}

// Elements reads the elements of a JSArray of objects; where there is none the hole stands.
func (r *Reader) Elements(array Word) ([]Word, error) {
	if err := r.want(array, layout.TypeJSArray); err != nil {
		return nil, err
	}
	array, _, err := r.Moved(array)
	if err != nil {
		return nil, err
	}
	length, err1 := r.field(array, layout.JSArrayLength)
	elements, err2 := r.field(array, layout.JSObjectElements)
	if err1 != nil || err2 != nil || !length.IsSmi() || length.Smi() < 0 {
		return nil, fmt.Errorf("array 0x%x: length 0x%x", uint64(array), uint64(length))
	}
	if elements, _, err = r.Moved(elements); err != nil {
		return nil, err
	}
	room, err := r.field(elements, layout.FixedArrayLength)
	if err != nil || !room.IsSmi() {
		return nil, fmt.Errorf("array 0x%x: room for 0x%x elements", uint64(array), uint64(room))
	}
	n := min(length.Smi(), room.Smi(), maxEntries)
	b, err := r.Bytes(elements.address()+uint64(r.l.At(layout.FixedArrayData)), 8*max(n, 0))
	if err != nil {
		return nil, err
	}
	out := make([]Word, len(b)/8)
	for i := range out {
		out[i] = Word(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out, nil
}
