package symbols

import (
	"encoding/binary"
	"fmt"
	"sort"

	"github.com/hotspan/hotspan/agent/internal/blocks"
)

// listed has the symbols of a builder where they are, and their names in the string tables: it is there at once, and
// takes much memory.
type listed struct{ *builder }

// table makes the table of all candidates. It sorts them.
func (b *builder) table() (*Table, error) {
	b.all = b.sized(b.preferred(byAddress(b.all)))
	if len(b.all) == 0 {
		return nil, ErrNoSymbols
	}
	return newTable(listed{b}), nil
}

// Len returns the number of blocks. (source)
func (l listed) Len() int { return (len(l.all) + perBlock - 1) / perBlock }

// Key returns where the first symbol of a block starts. (source)
func (l listed) Key(block int) uint64 { return l.all[block*perBlock].start }

// Find returns the last block that begins at an address or before it. (source)
func (l listed) Find(addr uint64) int {
	return sort.Search(l.Len(), func(i int) bool { return l.Key(i) > addr }) - 1
}

// visit calls f with the symbols of a block. (source)
func (l listed) visit(block int, f func(entry) bool) {
	for _, c := range l.all[block*perBlock : min(len(l.all), (block+1)*perBlock)] {
		if !f(entry{c.start, c.size, l.raw(c.name)}) {
			return
		}
	}
}

// maxEncoded bounds a table, in bytes. Node 26's has 13 MB.
const maxEncoded = 96 << 20

// usualEntry is how many bytes a symbol takes, about: 59 in Node 24.
const usualEntry = 64

// encode returns the symbols as Decode reads them. The error says that they take too much.
func (l listed) encode() ([]byte, error) {
	var e encoder
	e.w.Data = make([]byte, 0, min(usualEntry*len(l.all), maxEncoded)) // growing would copy most of it several times
	for _, c := range l.all {
		e.add(c.start, c.size, l.raw(c.name))
		if len(e.w.Data) > maxEncoded {
			return nil, fmt.Errorf("names of symbols take more than %d MiB", maxEncoded>>20)
		}
	}
	return e.w.AppendTo(nil), nil
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
