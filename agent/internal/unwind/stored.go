package unwind

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Stored is a table in a file. Rows and Kept are what AppendRows and EncodedKept have returned.
type Stored struct {
	Base        uint64
	Unsupported int
	Rows, Kept  *io.SectionReader
}

const rowSize = 8

// Table reads an index of a stored table. Rows stays nil: ReadRows reads them.
func (s Stored) Table() (*Table, error) {
	n := int(s.Rows.Size() / rowSize)
	if s.Rows.Size()%rowSize != 0 || n == 0 {
		return nil, errors.New("unwind rules: rows are cut off")
	}
	t := &Table{Base: s.Base, Unsupported: s.Unsupported, stored: s.Rows, n: n}
	var last [1]Row
	if err := t.ReadRows(n-1, last[:]); err != nil {
		return nil, err
	}
	t.end = last[0].PC
	var err error
	t.kept, err = openKept(s.Kept, s.Kept.Size())
	return t, err
}

// AppendRows appends the rows, 8 bytes each as in BPF maps.
func (t *Table) AppendRows(b []byte) []byte {
	for _, r := range t.Rows {
		b = binary.LittleEndian.AppendUint32(b, r.PC)
		b = append(b, r.CFA, byte(r.RBP))
		b = binary.LittleEndian.AppendUint16(b, uint16(r.Off))
	}
	return b
}

// EncodedKept returns what Kept looks up; nil for a stored table.
func (t *Table) EncodedKept() []byte { return t.encodedKept }

// MoveKept has Kept look up in a file that has what EncodedKept has returned, and frees that.
func (t *Table) MoveKept(r io.ReaderAt) error {
	at := int64(0)
	for i := range t.kept {
		var b [4]byte
		if _, err := r.ReadAt(b[:], at); err != nil {
			return err
		}
		n := int64(binary.LittleEndian.Uint32(b[:]))
		t.kept[i].Move(io.NewSectionReader(r, at+4, n))
		at += 4 + n
	}
	t.encodedKept = nil
	return nil
}

// Len returns the number of rows.
func (t *Table) Len() int {
	if t.stored != nil {
		return t.n
	}
	return len(t.Rows)
}

// End returns the address behind the last rule, as an offset from Base; 0 if there are no rows.
func (t *Table) End() uint32 {
	if t.stored == nil && len(t.Rows) > 0 {
		return t.Rows[len(t.Rows)-1].PC
	}
	return t.end
}

// ReadRows reads rows, from the one with a number on, until to is full. The error is of reading a stored table.
func (t *Table) ReadRows(from int, to []Row) error {
	if t.stored == nil {
		copy(to, t.Rows[from:])
		return nil
	}
	b := make([]byte, rowSize*len(to))
	if n, err := t.stored.ReadAt(b, int64(from)*rowSize); n < len(b) {
		return fmt.Errorf("unwind rules: row %d: %w", from, err)
	}
	for i := range to {
		r := b[i*rowSize:]
		to[i] = Row{binary.LittleEndian.Uint32(r), r[4], int8(r[5]), int16(binary.LittleEndian.Uint16(r[6:]))}
	}
	return nil
}
