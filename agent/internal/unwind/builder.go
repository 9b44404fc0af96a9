package unwind

import "github.com/go-delve/delve/pkg/dwarf/frame"

// builder appends the rows of functions to a table, by rising address.
type builder struct {
	table *Table
	m     machine
	end   uint64                                  // where the last function ended
	ready map[*frame.CommonInformationEntry]state // after the initial instructions of a common entry
}

// function appends the rows of one entry, up to end.
func (b *builder) function(e *frame.FrameDescriptionEntry, end uint64) {
	if b.end != 0 && e.Begin() > b.end {
		b.gap()
	}
	b.end = end
	initial := b.initial(e.CIE)
	b.m.code, b.m.data, b.m.now, b.m.initial = e.CIE.CodeAlignmentFactor, e.CIE.DataAlignmentFactor, initial, initial
	b.m.run(e.Instructions, e.Begin(), end, b.add)
}

// initial returns the state after the initial instructions of a common entry, which must not advance.
func (b *builder) initial(c *frame.CommonInformationEntry) state {
	s, ok := b.ready[c]
	if ok {
		return s
	}
	m := machine{code: c.CodeAlignmentFactor, data: c.DataAlignmentFactor}
	m.run(c.InitialInstructions, 0, 1, func(_ uint64, got *state) { s = *got })
	if c.ReturnAddressRegister != regRA {
		s.broken = true
	}
	b.ready[c] = s
	return s
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
	for i := range keptRegisters {
		rules, place := b.table.kept[i], s.keptAt(i)
		if n := len(rules); n == 0 || rules[n-1].place != place {
			b.table.kept[i] = append(rules, kept{uint32(pc - b.table.Base), place})
		}
	}
}
