package heap

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// maxBuckets bounds the tables of JavaScript Maps and Sets; V8's own limit is 2^24 entries, two a bucket.
const maxBuckets = 1 << 24

// Collection is the table of a JavaScript Map or Set, which keeps the order in which entries were made.
type Collection struct {
	Size int // without deleted entries
	used int // with them
	at   uint64
	step int // words of an entry
}

// Map reads the head of the table of a JSMap, Set that of a JSSet.
func (r *Reader) Map(m Word) (*Collection, error) { return r.collection(m, 3) }

// Set reads the head of the table of a JSSet.
func (r *Reader) Set(m Word) (*Collection, error) { return r.collection(m, 2) }

// collection reads a table: it begins with the numbers of elements, of deleted ones and of buckets, then come the
// buckets, then the entries, each with the number of the next one of its bucket. (src/objects/ordered-hash-table.h)
func (r *Reader) collection(m Word, step int) (*Collection, error) {
	m, _, err := r.Forwarded(m)
	if err != nil {
		return nil, err
	}
	table, err := r.field(m, layout.JSMapTable)
	if err != nil {
		return nil, err
	}
	return r.table(table, step)
}

func (r *Reader) table(table Word, step int) (*Collection, error) {
	table, _, err := r.Forwarded(table)
	if err != nil {
		return nil, err
	}
	data := table.address() + uint64(r.l.At(layout.FixedArrayData))
	b, err := r.Bytes(data, 24)
	if err != nil {
		return nil, err
	}
	var head [3]int
	for i := range head {
		w := wordAt(b, i)
		if head[i] = w.Smi(); !w.IsSmi() || head[i] < 0 || head[i] > maxBuckets {
			return nil, fmt.Errorf("table 0x%x: word %d is 0x%x", uint64(table), i, uint64(w))
		}
	}
	return &Collection{head[0], head[0] + head[1], data + 8*uint64(3+head[2]), step}, nil
}

// wordAt is the word of bytes that has a number.
func wordAt(b []byte, i int) Word { return Word(binary.LittleEndian.Uint64(b[8*i:])) }

// Each calls f for each entry until f returns false. The key of one that was deleted is the hole. A Set has no values.
func (r *Reader) Each(c *Collection, f func(key, value Word) bool) error {
	const most = 128 // entries that are read at once
	for i := 0; i < c.used; i += most {
		b, err := r.Bytes(c.at+8*uint64(i*c.step), 8*c.step*min(most, c.used-i))
		if err != nil {
			return err
		}
		for ; len(b) > 0; b = b[8*c.step:] {
			if !f(wordAt(b, 0), wordAt(b, 1)) {
				return nil
			}
		}
	}
	return nil
}
