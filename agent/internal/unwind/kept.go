package unwind

import (
	"math"
	"slices"
	"sort"
)

// keptRegisters are the callee-saved registers besides rbp whose places are kept, in DWARF numbers: rbx and r12.
// Compilers of libuv keep in one of these what a thread of its pool works on.
var keptRegisters = [...]uint64{3, 12}

const numKept = len(keptRegisters)

// Where a function keeps its caller's value of a callee-saved register. Other values are its place, in units of 8 bytes
// from the CFA; the return address is at −1.
const (
	KeptSame int16 = 0             // still in the register
	KeptLost int16 = math.MinInt16 // not known, or at the CFA itself
)

// kept is one rule, in force from pc up to that of the next.
type kept struct {
	pc    uint32 // ELF virtual address minus Table.Base
	place int16
}

// keptIndex is the number of a register among keptRegisters, -1 for others.
func keptIndex(reg uint64) int { return slices.Index(keptRegisters[:], reg) }

// Kept says where the function that has an ELF virtual address keeps its caller's value of a register, given by DWARF
// number, while it is at that address. For a return address ask for the byte before it.
func (t *Table) Kept(register uint8, vaddr uint64) int16 {
	i, pc := keptIndex(uint64(register)), vaddr-t.Base
	if i < 0 || vaddr < t.Base || pc > math.MaxUint32 {
		return KeptLost
	}
	rules := t.kept[i]
	next := sort.Search(len(rules), func(i int) bool { return uint64(rules[i].pc) > pc })
	if next == 0 {
		return KeptLost
	}
	return rules[next-1].place
}

// keptAt is the place of a register, by its number among keptRegisters.
func (s *state) keptAt(i int) int16 {
	p := s.kept[i]
	switch {
	case s.broken:
		return KeptLost
	case p.how == unspecified:
		return KeptSame
	case p.how == atCFA:
		if off, ok := words(p.off); ok && off != KeptSame {
			return off
		}
	}
	return KeptLost
}

// keep appends the rules of a state from pc on, where they are others than before.
func (b *builder) keep(pc uint64, s *state) {
	for i := range keptRegisters {
		rules, place := b.table.kept[i], s.keptAt(i)
		if n := len(rules); n == 0 || rules[n-1].place != place {
			b.table.kept[i] = append(rules, kept{uint32(pc - b.table.Base), place})
		}
	}
}
