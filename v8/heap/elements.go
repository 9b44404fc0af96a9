package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// maxSparse bounds the entries of a dictionary of elements, used and not.
const maxSparse = 1 << 18

// Sparse reads a dictionary of elements, in the order of their numbers. It has those of elements, of deleted ones and
// of entries, a prefix of one word, and the entries. (src/objects/dictionary.h, NumberDictionary)
func (r *Reader) Sparse(store Word) ([]Own, error) {
	data := store.address() + uint64(r.l.At(layout.FixedArrayData))
	n, err := r.WordAt(data + 16)
	if err != nil {
		return nil, err
	}
	if !n.IsSmi() || n.Smi() < 0 || n.Smi() > maxSparse {
		return nil, fmt.Errorf("elements 0x%x: dictionary of 0x%x entries", uint64(store), uint64(n))
	}
	b, err := r.Bytes(data+32, 24*n.Smi())
	if err != nil {
		return nil, err
	}
	var out []Own
	for ; len(b) >= 24; b = b[24:] {
		key, details := wordAt(b, 0), wordAt(b, 2)
		if !details.IsSmi() {
			continue
		}
		i, ok := r.index(key)
		if !ok {
			continue // empty or deleted
		}
		d := uint(uint32(details.Smi()))
		out = append(out, Own{Key: key, Value: wordAt(b, 1), Accessor: d&1 != 0, Enumerable: d>>r.dontEnum()&1 == 0,
			Order: i})
	}
	inOrder(out)
	return out, nil
}

// MappedArguments is where the elements of an arguments object are whose function may assign to its parameters: some in
// the context of the function, the others in a FixedArray.
type MappedArguments struct {
	Others  Word
	context Word
	slots   []Word // of the first elements, Smis; the hole for others
}

// maxMapped bounds the parameters of a function; V8's own limit is 65,534.
const maxMapped = 1 << 16

// MappedArguments reads SloppyArgumentsElements: map, number of slots, context, arguments, slots.
// (src/objects/arguments.tq)
func (r *Reader) MappedArguments(store Word) (m MappedArguments, err error) {
	at := store.address() + uint64(r.l.At(layout.FixedArrayLength))
	head, err := r.Bytes(at, 24)
	if err != nil {
		return m, err
	}
	n := wordAt(head, 0)
	if !n.IsSmi() || n.Smi() < 0 || n.Smi() > maxMapped {
		return m, fmt.Errorf("arguments 0x%x: 0x%x slots", uint64(store), uint64(n))
	}
	b, err := r.Bytes(at+24, 8*n.Smi())
	if err != nil {
		return m, err
	}
	m.context, m.Others = wordAt(head, 1), wordAt(head, 2)
	for i := range n.Smi() {
		m.slots = append(m.slots, wordAt(b, i))
	}
	return m, nil
}

// At reads an element where it is in the context; ok is false where it is not.
func (r *Reader) At(m *MappedArguments, i int) (w Word, ok bool, err error) {
	if i >= len(m.slots) || !m.slots[i].IsSmi() || m.slots[i].Smi() < 0 || m.slots[i].Smi() > maxMapped {
		return 0, false, nil
	}
	context, _, err := r.Forwarded(m.context)
	if err != nil {
		return 0, false, err
	}
	w, err = r.WordAt(context.address() + uint64(r.l.At(layout.FixedArrayData)) + 8*uint64(m.slots[i].Smi()))
	return w, true, err
}
