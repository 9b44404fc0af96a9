package symbols

import (
	"bytes"
	"cmp"
	"debug/elf"
	"math"
)

// builder makes a Table of candidates.
type builder struct {
	names   [2][]byte // string tables; names end with a zero byte
	all     []candidate
	exports *elf.File // of which only exports have symbols: other functions may be between these; else nil
	read    uint64    // bytes of their code
}

const secondTable = 1 << 31

// Ranks. A size and a type count more than the binding.
const (
	rankGlobal = 0
	rankLocal  = 1
	rankWeak   = 2
	rankNoType = 4
	rankNoSize = 8
)

// add adds functions in place of a first table.
func (b *builder) add(functions []Symbol) {
	for _, f := range functions {
		b.all = append(b.all, candidate{
			start: f.Start, size: uint32(min(f.Size, math.MaxUint32)), name: uint32(len(b.names[0])), rank: rankLocal,
		})
		b.names[0] = append(append(b.names[0], f.Name...), 0)
	}
}

// sized gives those of unknown size the room up to the next one, or what their code takes of it where others may be in
// between. Those that have none go: a label at the end of its section names nothing.
func (b *builder) sized(all []candidate) []candidate {
	out := all[:0]
	for i, c := range all {
		if c.rank&rankNoSize != 0 {
			room := uint64(c.size)
			if i+1 < len(all) {
				room = min(room, all[i+1].start-c.start)
			}
			c.size = uint32(b.within(c.start, room))
		}
		if c.size != 0 {
			out = append(out, c)
		}
	}
	return out
}

// within returns what a function of unknown size takes of the room that there is for it.
func (b *builder) within(start, room uint64) uint64 {
	if b.exports == nil {
		return room
	}
	room = min(room, maxExtent)
	if b.read += room; b.read > maxExtents {
		return 0
	}
	return extent(b.exports, start, room)
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
	out := b.from(name)
	if end := bytes.IndexByte(out, 0); end >= 0 {
		return out[:end]
	}
	return out
}

// from returns a name in the string tables and what is behind it.
func (b *builder) from(name uint32) []byte {
	table := b.names[name/secondTable]
	off := int(name % secondTable)
	if off >= len(table) {
		return nil
	}
	return table[off:min(len(table), off+maxName)]
}
