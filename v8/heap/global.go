package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// A GlobalDictionary has the numbers of elements, of deleted ones and of entries, a prefix of two words, and the
// entries: PropertyCells, whose words are these. (src/objects/dictionary.h, src/objects/property-cell.tq)
const (
	globalPrefix = 2

	cellName, cellDetails, cellValue = 1, 2, 3
)

// maxGlobals bounds the entries of a global object; each is read by itself.
const maxGlobals = 1 << 16

// Global reads the properties of a JSGlobalObject in the order in which they were made; elements are not among them.
func (r *Reader) Global(object Word) (out []Own, err error) {
	if object, _, err = r.Forwarded(object); err != nil {
		return nil, err
	}
	table, err := r.field(object, layout.JSReceiverPropertiesOrHash)
	if err != nil {
		return nil, err
	}
	if table, _, err = r.Forwarded(table); err != nil {
		return nil, err
	}
	data := table.address() + uint64(r.l.At(layout.FixedArrayData))
	capacity, err := r.WordAt(data + 16)
	if n := capacity.Smi(); err != nil || !capacity.IsSmi() || n < 1 || n > maxGlobals {
		return nil, fmt.Errorf("global object 0x%x: dictionary of 0x%x entries: %w", uint64(object), uint64(capacity),
			err)
	}
	b, err := r.Bytes(data+8*(3+globalPrefix), 8*capacity.Smi())
	if err != nil {
		return nil, err
	}
	for ; len(b) >= 8; b = b[8:] {
		cell := wordAt(b, 0)
		if typ, err := r.Type(cell); err != nil || !cell.IsObject() || typ == r.l.At(layout.TypeOddball) {
			continue // there is no entry
		}
		if p, ok := r.cell(cell); ok {
			out = append(out, p)
		}
	}
	inOrder(out)
	return out, nil
}

// cell reads a PropertyCell; ok is false where its property was deleted.
func (r *Reader) cell(w Word) (p Own, ok bool) {
	w, _, err := r.Forwarded(w)
	if err != nil {
		return p, false
	}
	b, err := r.Bytes(w.address(), 32)
	if err != nil {
		return p, false
	}
	key, details := wordAt(b, cellName), wordAt(b, cellDetails)
	if typ, err := r.Type(key); err != nil || typ > r.l.At(layout.TypeSymbol) || !details.IsSmi() {
		return p, false
	}
	return r.inDictionary(key, wordAt(b, cellValue), details), true
}
