package unwind

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/blocks"
)

// Where a function keeps its caller's value of a callee-saved register. Other values are its place, in units of 8 bytes
// from the CFA; the return address is at −1.
const (
	KeptSame int16 = 0             // still in the register
	KeptLost int16 = math.MinInt16 // not known, or at the CFA itself
)

// keptIndex is the index of a register in keptRegisters, -1 for others.
func keptIndex(reg uint64) int { return slices.Index(keptRegisters[:], reg) }

// keptWriter writes the places of one register in blocks: the distance from the address before, and the place.
type keptWriter struct {
	w     blocks.Writer
	n     int
	pc    uint32 // of the last rule
	place int16
}

// perBlock is how many rules a block has.
const perBlock = 256

// add appends a rule, in force from pc up to that of the next, unless it is that before.
func (k *keptWriter) add(pc uint32, place int16) {
	if k.n > 0 && place == k.place {
		return
	}
	if k.n%perBlock == 0 {
		k.w.Begin(uint64(pc))
		k.pc = pc
	}
	k.w.Data = binary.AppendUvarint(k.w.Data, uint64(pc-k.pc))
	k.w.Data = binary.AppendVarint(k.w.Data, int64(place))
	k.pc, k.place = pc, place
	k.n++
}

// size is how many bytes appendTo appends.
func (k *keptWriter) size() int { return 4 + k.w.Size() }

// appendTo appends the length of the blocks and the blocks.
func (k *keptWriter) appendTo(b []byte) []byte {
	at := len(b)
	b = k.w.AppendTo(append(b, 0, 0, 0, 0))
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

// openKept opens the places of all registers, as appendTo has written them one after the other.
func openKept(r io.ReaderAt, size int64) (kept [numKept]*blocks.Table, err error) {
	at := int64(0)
	for i := range kept {
		var b [4]byte
		if _, err := r.ReadAt(b[:], at); err != nil {
			return kept, fmt.Errorf("places of registers: %w", err)
		}
		n := int64(binary.LittleEndian.Uint32(b[:]))
		at += 4
		if n > size-at {
			return kept, errors.New("places of registers: cut off")
		}
		if kept[i], err = blocks.Open(io.NewSectionReader(r, at, n), n); err != nil {
			return kept, fmt.Errorf("places of registers: %w", err)
		}
		at += n
	}
	return kept, nil
}

// keptAt returns the place in force at pc.
func keptAt(t *blocks.Table, pc uint32) int16 {
	i := t.Find(uint64(pc))
	if i < 0 {
		return KeptLost
	}
	b, err := t.Read(i)
	if err != nil {
		return KeptLost
	}
	place, at := KeptLost, t.Key(i)
	for r := blocks.NewRecords(b); r.Left() > 0; {
		at += r.Number()
		next := int16(r.Signed())
		if at > uint64(pc) {
			break
		}
		place = next
	}
	return place
}
