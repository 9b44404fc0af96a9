package value

import (
	"fmt"
	"strconv"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// elements are the properties of an object whose keys are numbers.
type elements struct {
	store   heap.Word
	length  int // of an array; of an object the room in its store
	room    int
	array   bool
	doubles bool
	numbers bool // all that were printed are numbers
	some    bool // there is one that is no hole
}

// doubleHole are the bits of a hole among numbers. (src/common/globals.h, kHoleNanInt64)
const doubleHole = 0xfff7_ffff_fff7_ffff

// maxLooked bounds how many elements are looked at.
const maxLooked = 1 << 16

func (s *printing) elements(w heap.Word, array bool) (e elements, err error) {
	e.array, e.numbers = array, true
	if e.store, e.room, err = s.Heap.Elements(w); err != nil {
		return e, err
	}
	typ, err := s.Heap.Type(e.store)
	switch {
	case err != nil:
		return e, err
	case s.Types[typ] == "FixedDoubleArray":
		e.doubles = true
	case typ != s.l.At(layout.TypeFixedArray) && e.room > 0:
		return e, fmt.Errorf("elements are in a <%s>", s.what(e.store, typ))
	}
	e.length = e.room
	if array {
		if e.length, err = s.Heap.ArrayLength(w); err != nil {
			return e, err
		}
		e.room = min(e.room, e.length)
	}
	for i := 0; i < min(e.room, maxLooked) && !e.some; i++ {
		_, hole, err := e.at(s, i)
		if err != nil {
			return e, err
		}
		e.some = !hole
	}
	return e, nil
}

func (e *elements) empty() bool { return e.array && e.length == 0 || !e.array && !e.some }

// at reads an element.
func (e *elements) at(s *printing, i int) (w heap.Word, hole bool, err error) {
	if s.read++; s.read > maxRead {
		return 0, false, errTooMuch
	}
	if w, err = s.Heap.ElementWord(e.store, i); err != nil || e.doubles {
		return w, w == doubleHole, err
	}
	if w.IsSmi() {
		return w, false, nil
	}
	typ, err := s.Heap.Type(w)
	if err != nil {
		return w, false, err
	}
	// Where the hole is no Oddball, V8 from 14 on does not tell its type. Types behind that of Oddballs are internal,
	// up to those of objects, and no other internal object is an element.
	name := s.Types[typ]
	internal := typ > s.l.At(layout.TypeOddball) && typ < s.l.At(layout.FirstJSObjectType)
	return w, s.Heap.IsHole(w) || internal && (name == "Hole" || name == ""), nil
}

// print prints the elements of an array, holes counted, or those of an object with their keys.
func (e *elements) print(s *printing, value func(heap.Word) string) (out []string) {
	s.indent += 2
	defer func() { s.indent -= 2 }()
	i := 0
	for i < e.length && len(out) < maxElements {
		holes := e.holesAt(s, i)
		if holes > 0 {
			if e.array {
				out = append(out, fmt.Sprintf("<%d empty item%s>", holes, plural(holes)))
				e.numbers = false
			}
			i += holes
			continue
		}
		text := e.one(s, i, value)
		if !e.array {
			text = "'" + strconv.Itoa(i) + "': " + text
		}
		out = append(out, text)
		i++
	}
	if left := e.length - i; left > 0 && e.array {
		out = append(out, fmt.Sprintf("... %d more item%s", left, plural(left)))
	}
	return out
}

func (e *elements) one(s *printing, i int, value func(heap.Word) string) string {
	w, _, err := e.at(s, i)
	if err != nil {
		e.numbers = false
		return unread(err)
	}
	if e.doubles {
		return number(float(w))
	}
	if typ, err := s.Heap.Type(w); !w.IsSmi() && (err != nil || typ != s.l.At(layout.TypeHeapNumber)) {
		e.numbers = false
	}
	return value(w)
}

// holesAt counts the holes from an element on.
func (e *elements) holesAt(s *printing, from int) (n int) {
	for i := from; i < e.length; i++ {
		if i >= e.room {
			return e.length - from
		}
		if _, hole, err := e.at(s, i); err != nil || !hole {
			return i - from
		}
	}
	return e.length - from
}
