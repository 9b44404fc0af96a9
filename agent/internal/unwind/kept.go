package unwind

import (
	"math"
	"slices"
)

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

// keptIndex is the index of a register in keptRegisters, -1 for others.
func keptIndex(reg uint64) int { return slices.Index(keptRegisters[:], reg) }
