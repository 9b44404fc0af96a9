package symbols

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/agent/internal/blocks"
)

// builder makes a Table of candidates.
type builder struct {
	names [2][]byte // string tables; names end with a zero byte
	all   []candidate
}

const secondTable = 1 << 31

// maxEncoded bounds a table, in bytes. Node 26's has 13 MB.
const maxEncoded = 96 << 20

// usualEntry is how many bytes a symbol takes, about: 59 in Node 24.
const usualEntry = 64

// Ranks. A size and a type count more than the binding.
const (
	rankGlobal = 0
	rankLocal  = 1
	rankWeak   = 2
	rankNoType = 4
	rankNoSize = 8
)

// table makes the table of all candidates. It sorts them.
func (b *builder) table() (*Table, error) {
	b.all = b.preferred(byAddress(b.all))
	var e encoder
	e.w.Data = make([]byte, 0, min(usualEntry*len(b.all), maxEncoded)) // growing would copy most of it several times
	for i, c := range b.all {
		if c.size == 0 {
			end := c.limit
			if i+1 < len(b.all) {
				end = min(end, b.all[i+1].start)
			}
			c.size = uint32(min(maxReach, end-c.start))
		}
		if c.size == 0 { // a label at the end of its section names nothing
			continue
		}
		e.add(c.start, c.size, b.raw(c.name))
		if len(e.w.Data) > maxEncoded {
			return nil, fmt.Errorf("names of symbols take more than %d MiB", maxEncoded>>20)
		}
	}
	if e.n == 0 {
		return nil, ErrNoSymbols
	}
	encoded := e.w.AppendTo(nil)
	t, err := Decode(bytes.NewReader(encoded), int64(len(encoded)))
	if err != nil {
		return nil, err
	}
	t.encoded = encoded
	return t, nil
}

// preferred leaves one candidate of each address. They are sorted by these.
func (b *builder) preferred(all []candidate) []candidate {
	out := all[:0]
	for _, c := range all {
		if last := len(out) - 1; last < 0 || out[last].start != c.start {
			out = append(out, c)
		} else if b.compare(c, out[last]) < 0 {
			out[last] = c
		}
	}
	return out
}

// compare orders aliases by preference. The order is total, so that results do not vary.
func (b *builder) compare(x, y candidate) int {
	if c := cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(y.size, x.size)); c != 0 {
		return c
	}
	return cmp.Or(bytes.Compare(b.raw(x.name), b.raw(y.name)), cmp.Compare(x.name, y.name))
}

// raw returns a name in the string tables, up to its zero byte. It is empty for a bad offset.
func (b *builder) raw(name uint32) []byte {
	table := b.names[name/secondTable]
	off := int(name % secondTable)
	if off >= len(table) {
		return nil
	}
	table = table[off:min(len(table), off+maxName)]
	if end := bytes.IndexByte(table, 0); end >= 0 {
		return table[:end]
	}
	return table
}

// encoder writes symbols into blocks: the distance from the start before, the size, how many bytes the name shares with
// the one before, the number of the other bytes, and these.
type encoder struct {
	w    blocks.Writer
	n    int
	last uint64
	name []byte
}

func (e *encoder) add(start uint64, size uint32, name []byte) {
	if e.n%perBlock == 0 {
		e.w.Begin(start)
		e.last, e.name = start, nil
	}
	shared := 0
	for shared < min(len(name), len(e.name)) && name[shared] == e.name[shared] {
		shared++
	}
	b := binary.AppendUvarint(e.w.Data, start-e.last)
	b = binary.AppendUvarint(b, uint64(size))
	b = binary.AppendUvarint(b, uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(name)-shared))
	e.w.Data = append(b, name[shared:]...)
	e.last, e.name = start, name
	e.n++
}
