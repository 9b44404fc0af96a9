package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// maxTables bounds the tables that an iterator has missed, maxRemoved the entries that one of them had lost.
const maxTables, maxRemoved = 64, 1 << 16

// Iterator reads the head of the table that an iterator of a Map or a Set goes through, from the entry on that comes
// next. Size is 0: how many are left is not known. An iterator begins as a Map does, and its index follows.
// (src/objects/js-collection-iterator.tq)
func (r *Reader) Iterator(w Word, ofMap bool) (*Collection, error) {
	w, _, err := r.Forwarded(w)
	if err != nil {
		return nil, err
	}
	table, err := r.field(w, layout.JSMapTable)
	if err != nil {
		return nil, err
	}
	at, err := r.WordAt(w.address() + uint64(r.l.At(layout.JSMapTable)) + 8)
	if err != nil || !at.IsSmi() || at.Smi() < 0 {
		return nil, fmt.Errorf("iterator 0x%x: its index is 0x%x: %w", uint64(w), uint64(at), err)
	}
	index, step := at.Smi(), 2
	if ofMap {
		step = 3
	}
	for range maxTables {
		next, missed, err := r.nextTable(table, index)
		if err != nil {
			return nil, err
		}
		if next == 0 {
			break
		}
		table, index = next, index-missed
	}
	c, err := r.table(table, step)
	if err != nil {
		return nil, err
	}
	gone := min(index, c.used)
	return &Collection{0, c.used - gone, c.at + 8*uint64(gone*step), step}, nil
}

// nextTable is the table that took the place of one, 0 if none did, and how many entries before an index it lacks. A
// table that was replaced has the new one instead of the number of elements; if it was cleared, -1 deleted elements;
// else where these were instead of the buckets.
// (src/objects/ordered-hash-table.cc, OrderedHashTableIterator::Transition)
func (r *Reader) nextTable(table Word, index int) (next Word, missed int, err error) {
	if table, _, err = r.Forwarded(table); err != nil {
		return 0, 0, err
	}
	data := table.address() + uint64(r.l.At(layout.FixedArrayData))
	b, err := r.Bytes(data, 16)
	if err != nil {
		return 0, 0, err
	}
	next, deleted := wordAt(b, 0), wordAt(b, 1)
	switch {
	case next.IsSmi():
		return 0, 0, nil
	case !deleted.IsSmi() || deleted.Smi() < -1 || deleted.Smi() > maxRemoved:
		return 0, 0, fmt.Errorf("table 0x%x: 0x%x deleted elements", uint64(table), uint64(deleted))
	case deleted.Smi() == -1:
		return next, index, nil
	}
	n := min(deleted.Smi(), index)
	if b, err = r.Bytes(data+24, 8*n); err != nil {
		return 0, 0, err
	}
	for missed < n && wordAt(b, missed).Smi() < index {
		missed++
	}
	return next, missed, nil
}
