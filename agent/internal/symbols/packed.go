package symbols

import (
	"bytes"
	"fmt"
	"io"

	"github.com/hotspan/hotspan/agent/internal/blocks"
)

// packed has the symbols in blocks as an encoder writes them, in memory or in a file.
type packed struct{ *blocks.Table }

// Decode makes a Table of what Encoded has returned, of which it reads only an index now. It keeps r.
func Decode(r io.ReaderAt, size int64) (*Table, error) {
	b, err := blocks.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("symbols: %w", err)
	}
	return newTable(packed{b}), nil
}

// visit calls f with the symbols of a block; of one that cannot be read with none. (source)
func (p packed) visit(block int, f func(entry) bool) {
	b, err := p.Read(block)
	if err != nil {
		return
	}
	e := entry{start: p.Key(block)}
	for r := blocks.NewRecords(b); r.Left() > 0; {
		e.start += r.Number()
		e.size = uint32(r.Number())
		shared := min(r.Number(), uint64(len(e.name)))
		e.name = append(e.name[:shared], r.Bytes(r.Number())...)
		if len(e.name) > maxName || !f(e) {
			return
		}
	}
}

// Pack gives up what the table has of the file that it was read from, for less memory, in which the names are. After an
// error, which says that they take too much, it names nothing. Lookups go on meanwhile.
func (t *Table) Pack() error {
	t.mu.Lock()
	from, ok := t.source.(listed)
	t.mu.Unlock()
	if !ok {
		return nil
	}
	encoded, err := from.encode()
	to := source(listed{new(builder)})
	if err == nil {
		var b *blocks.Table
		b, err = blocks.Open(bytes.NewReader(encoded), int64(len(encoded)))
		to = packed{b}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.source, t.encoded = to, encoded
	return err
}

// Encoded returns the table as Decode reads it; nil before Pack, and if it is in a file.
func (t *Table) Encoded() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.encoded
}

// Move has the table read from a file that has what Encoded has returned, and frees that.
func (t *Table) Move(r io.ReaderAt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.source.(packed); ok {
		p.Table.Move(r)
	}
	t.encoded = nil
}
