package unwind

import (
	"bytes"

	"github.com/hotspan/hotspan/agent/internal/flow"
)

// builder appends the rows of functions to a table, by rising address.
type builder struct {
	table *Table
	m     machine
	end   uint64 // where the last function ended
	kept  [numKept]keptWriter
}

// Node 24 has a row for each 7.5 bytes of .eh_frame, and a byte of a register's places for each 3.
const (
	bytesPerRow  = 7
	bytesPerKept = 3
)

// newBuilder makes a builder for a section of a size, so that little must be moved as the table grows.
func newBuilder(base uint64, size int) *builder {
	b := &builder{table: &Table{Base: base, Rows: make([]Row, 0, size/bytesPerRow)}}
	for i := range b.kept {
		b.kept[i].w.Data = make([]byte, 0, size/bytesPerKept)
	}
	return b
}

// function appends the rows of one function.
func (b *builder) function(c *common, program []byte, begin, end uint64) {
	if b.end != 0 && begin > b.end {
		b.gap()
	}
	b.end = end
	b.m.code, b.m.data, b.m.now, b.m.initial = c.code, c.data, c.initial, &c.initial
	b.m.run(program, begin, end, b.add)
	if rows := b.table.Rows; len(rows) > 0 && rows[len(rows)-1].CFA == CFASignal {
		b.end++ // its last instruction is a system call, which has the address behind it as long as it takes
	}
}

// codeUntil appends the rules that code tells up to an address, and returns the others.
func (b *builder) codeUntil(end uint64, told []flow.Rule) []flow.Rule {
	for len(told) > 0 && told[0].Start < end {
		r := told[0]
		told = told[1:]
		if b.end != 0 && r.Start > b.end {
			b.gap()
		}
		s := stateOf(r.State)
		b.add(r.Start, &s)
		b.end = r.End
	}
	return told
}

// add appends the rule of a state from pc on, unless the rule before it is the same.
func (b *builder) add(pc uint64, s *state) {
	row, ok := s.row()
	if !ok {
		b.table.Unsupported++
	}
	b.append(pc, row)
	b.keep(pc, s)
}

// gap appends that there are no rules from the end of the last function on.
func (b *builder) gap() {
	b.append(b.end, Row{CFA: CFANone})
	b.keep(b.end, &state{broken: true})
}

func (b *builder) append(pc uint64, row Row) {
	row.PC = uint32(pc - b.table.Base)
	if n := len(b.table.Rows); n > 0 {
		last := b.table.Rows[n-1]
		if last.CFA == row.CFA && last.RBP == row.RBP && last.Off == row.Off {
			return
		}
	}
	b.table.Rows = append(b.table.Rows, row)
}

// keep appends the places of a state from pc on, where they differ from those before.
func (b *builder) keep(pc uint64, s *state) {
	for i := range b.kept {
		b.kept[i].add(uint32(pc-b.table.Base), s.keptAt(i))
	}
}

// finish ends the table.
func (b *builder) finish() (err error) {
	b.table.end = b.table.Rows[len(b.table.Rows)-1].PC
	size := 0
	for i := range b.kept {
		size += b.kept[i].size()
	}
	encoded := make([]byte, 0, size)
	for i := range b.kept {
		encoded = b.kept[i].appendTo(encoded)
	}
	b.table.encodedKept = encoded
	b.table.kept, err = openKept(bytes.NewReader(encoded), int64(len(encoded)))
	return err
}
