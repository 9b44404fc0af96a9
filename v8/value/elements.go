package value

import (
	"errors"
	"fmt"
	"slices"
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
	numbers bool                  // all that were printed are numbers
	some    bool                  // there is one that is no hole
	sparse  []heap.Own            // in a dictionary
	mapped  *heap.MappedArguments // of an arguments object
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
	if err == nil {
		err = e.storedIn(s, w, typ)
	}
	if err != nil {
		return e, err
	}
	e.length = e.room
	if array {
		if e.length, err = s.Heap.ArrayLength(w); err != nil {
			return e, err
		}
		e.room = min(e.room, e.length)
	}
	e.some = len(e.sparse) > 0
	for i := 0; i < min(e.room, maxLooked) && !e.some; i++ {
		_, hole, err := e.at(s, i)
		if err != nil {
			return e, err
		}
		e.some = !hole
	}
	return e, nil
}

// storedIn reads what the kind of store needs. V8 does not tell the type of dictionaries.
func (e *elements) storedIn(s *printing, w heap.Word, typ int) error {
	class := s.Types[typ]
	kind, dictionary, err := s.Heap.ElementsKind(w)
	switch {
	case err != nil:
		return err
	case class == "FixedDoubleArray":
		e.doubles = true
	case kind == dictionary && e.room > 0:
		all, err := s.Heap.Sparse(e.store)
		if err != nil {
			return err
		}
		s.read += len(all)
		e.sparse = slices.DeleteFunc(all, func(p heap.Own) bool { return !p.Enumerable && !e.array })
		e.room = 0
		if n := len(e.sparse); n > 0 {
			e.room = e.sparse[n-1].Order + 1
		}
	case class == "SloppyArgumentsElements":
		m, err := s.Heap.MappedArguments(e.store)
		if err != nil {
			return err
		}
		e.mapped, e.store = &m, m.Others
		if e.room, err = s.Heap.StoreLength(m.Others); err != nil {
			return err
		}
		if typ, err = s.Heap.Type(e.store); err != nil || typ != s.l.At(layout.TypeFixedArray) {
			return errors.New("some arguments are in a dictionary")
		}
	case typ != s.l.At(layout.TypeFixedArray) && e.room > 0:
		return fmt.Errorf("elements are in a <%s>", s.what(e.store, typ))
	}
	return nil
}

func (e *elements) empty() bool { return e.array && e.length == 0 || !e.array && !e.some }

// at reads an element.
func (e *elements) at(s *printing, i int) (w heap.Word, hole bool, err error) {
	if !s.afford(1) {
		return 0, false, errTooMuch
	}
	if e.mapped != nil {
		if w, ok, err := s.Heap.At(e.mapped, i); ok || err != nil {
			return w, false, err
		}
	}
	if w, err = s.Heap.ElementWord(e.store, i); err != nil || e.doubles {
		return w, w == doubleHole, err
	}
	hole, err = s.hole(w)
	return w, hole, err
}

// IsHole reports whether a word stands for no value, as that of a variable before its declaration was reached.
func (p *Printer) IsHole(w heap.Word) bool {
	hole, err := p.begin().hole(w)
	return err == nil && hole
}

// hole reports whether a word stands for no value. Where the hole is no Oddball, V8 from 14 on does not tell its type.
// Types behind that of Oddballs are internal, up to those of JavaScript, and no other internal object is a value.
func (s *printing) hole(w heap.Word) (bool, error) {
	if w.IsSmi() {
		return false, nil
	}
	typ, err := s.Heap.Type(w)
	if err != nil {
		return false, err
	}
	name := s.Types[typ]
	internal := typ > s.l.At(layout.TypeOddball) && typ < s.l.At(layout.FirstJSObjectType)
	return s.Heap.IsHole(w) || internal && (name == "Hole" || name == "" && typ < s.firstReceiver()), nil
}

// firstReceiver is the first type of JavaScript's that V8 names, a Proxy's. Some behind it, before those of other
// objects, have no name, as that of the namespace of a module. (src/objects/instance-type.h)
func (s *printing) firstReceiver() int {
	if s.receiver == 0 {
		s.receiver = s.l.At(layout.FirstJSObjectType)
		for typ, name := range s.Types {
			if name == "JSProxy" {
				s.receiver = typ
			}
		}
	}
	return s.receiver
}

// print prints the elements of an array, holes counted, or those of an object with their keys.
func (e *elements) print(s *printing, depth int) (out []string) {
	s.indent += 2
	defer func() { s.indent -= 2 }()
	most := maxElements
	if !e.array {
		most = maxPrinted
	}
	i := 0
	for i < e.length && len(out) < most && s.goesOn() {
		holes := e.holesAt(s, i)
		if holes > 0 {
			if e.array {
				out = append(out, fmt.Sprintf("<%d empty item%s>", holes, plural(holes)))
				e.numbers = false
			}
			i += holes
			continue
		}
		text := e.one(s, i, depth)
		if !e.array {
			text = "'" + strconv.Itoa(i) + "': " + text
		}
		out = append(out, text)
		i++
	}
	switch left := e.length - i; {
	case left > 0 && e.array:
		out = append(out, fmt.Sprintf("... %d more item%s", left, plural(left)))
	case left > 0:
		out = append(out, unread(errTooMuch))
	}
	return out
}

func (e *elements) one(s *printing, i, depth int) string {
	if n, found := e.find(i); found {
		e.numbers = e.numbers && isNumber(s, e.sparse[n].Value) && !e.sparse[n].Accessor
		return s.member(e.sparse[n], depth)
	}
	w, _, err := e.at(s, i)
	if err != nil {
		e.numbers = false
		return unread(err)
	}
	if e.doubles {
		return Number(float(w))
	}
	e.numbers = e.numbers && isNumber(s, w)
	return s.value(w, depth)
}

func isNumber(s *printing, w heap.Word) bool {
	typ, err := s.Heap.Type(w)
	return w.IsSmi() || err == nil && (typ == s.l.At(layout.TypeHeapNumber) || typ == s.l.At(layout.TypeBigInt))
}

// find looks for an element that is in a dictionary, or for the next one.
func (e *elements) find(i int) (n int, found bool) {
	return slices.BinarySearchFunc(e.sparse, i, func(a heap.Own, i int) int { return a.Order - i })
}

// holesAt counts the holes from an element on.
func (e *elements) holesAt(s *printing, from int) (n int) {
	if len(e.sparse) > 0 {
		if n, _ := e.find(from); n < len(e.sparse) {
			return min(e.sparse[n].Order, e.length) - from
		}
		return e.length - from
	}
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
