package heap

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// maxEntries bounds what is read of one JavaScript Map.
const maxEntries = 1 << 12

// Entry is one entry of a JavaScript Map.
type Entry struct{ Key, Value Word }

// Entries reads a JSMap: its table begins with the numbers of elements, of deleted ones and of buckets, then come the
// buckets, then the entries. (src/objects/ordered-hash-table.h)
func (r *Reader) Entries(m Word) ([]Entry, error) {
	if err := r.want(m, layout.TypeJSMap); err != nil {
		return nil, err
	}
	table, err := r.field(m, layout.JSMapTable)
	if err != nil {
		return nil, err
	}
	if table, _, err = r.Forwarded(table); err != nil {
		return nil, err
	}
	var head [3]int
	data := table.address() + uint64(r.l.At(layout.FixedArrayData))
	for i := range head {
		w, err := r.WordAt(data + 8*uint64(i))
		if err != nil {
			return nil, err
		}
		if head[i] = w.Smi(); !w.IsSmi() || head[i] < 0 || head[i] > maxEntries {
			return nil, fmt.Errorf("map 0x%x: table word %d is 0x%x", uint64(m), i, uint64(w))
		}
	}
	b, err := r.Bytes(data+8*uint64(3+head[2]), 24*(head[0]+head[1]))
	if err != nil {
		return nil, err
	}
	out := make([]Entry, len(b)/24)
	for i := range out {
		out[i] = Entry{Word(binary.LittleEndian.Uint64(b[24*i:])), Word(binary.LittleEndian.Uint64(b[24*i+8:]))}
	}
	return out, nil
}
