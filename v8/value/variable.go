package value

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// Variable prints the value of a variable of a context, and returns the word of the value; that of a number which V8
// keeps in a cell is the cell's.
func (p *Printer) Variable(w heap.Word) (text string, at heap.Word) {
	s := p.begin()
	s.value = s.print
	at, n, isNumber, err := s.inCell(w)
	switch {
	case err != nil:
		return unread(err), w
	case isNumber:
		return Number(n), w
	case p.IsHole(at):
		return "<not initialised>", at
	}
	return s.print(at, 0), at
}

// A ContextCell stands for a variable that is assigned to, from V8 14 on. Its value is a tagged one, or a number of its
// own. (src/objects/contexts.tq, ContextCell; src/objects/contexts.h, ContextCell::State)
const (
	cellTagged, cellState, cellNumber = 8, 24, 32

	cellInt32, cellFloat64, cellDetached = 2, 3, 4 // before them: a constant, a Smi
)

// inCell is the value that a variable has in its cell; a word that is no cell is itself.
func (s *printing) inCell(w heap.Word) (value heap.Word, n float64, isNumber bool, err error) {
	if !s.is(w, "ContextCell") {
		return w, 0, false, nil
	}
	word := func(offset uint64) (out heap.Word) {
		if err == nil {
			out, err = s.Heap.WordAt(uint64(w) - 1 + offset)
		}
		return out
	}
	tagged, state, bits := word(cellTagged), word(cellState), word(cellNumber)
	switch {
	case err != nil:
	case uint32(state) == cellInt32:
		return w, float64(int32(bits)), true, nil
	case uint32(state) == cellFloat64:
		return w, float(bits), true, nil
	case uint32(state) > cellDetached:
		err = errUnread
	}
	return tagged, 0, false, err
}
