package value

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// indented prints a value that is a member.
func (s *printing) indented(w heap.Word, depth int) string {
	s.indent += 2
	defer func() { s.indent -= 2 }()
	return s.value(w, depth)
}

// member prints the value of a property.
func (s *printing) member(p heap.Own, depth int) string {
	if p.Accessor {
		return s.accessor(p.Value)
	}
	return s.indented(p.Value, depth)
}

// accessor prints what an AccessorPair has; what C++ computes, an AccessorInfo, is named. Getter and setter are the
// first two fields. (src/objects/accessors.tq, src/objects/templates.h)
func (s *printing) accessor(w heap.Word) string {
	typ, err := s.Heap.Type(w)
	if err != nil {
		return unread(err)
	}
	if s.Types[typ] != "AccessorPair" {
		return "<" + s.what(w, typ) + ">"
	}
	var is [2]bool
	for i := range is {
		f, err := s.Heap.WordAt(uint64(w) - 1 + 8*uint64(i+1))
		if err != nil {
			return unread(err)
		}
		typ, err := s.Heap.Type(f)
		is[i] = err == nil && typ >= s.l.At(layout.FirstJSObjectType)
	}
	switch is {
	case [2]bool{true, true}:
		return "[Getter/Setter]"
	case [2]bool{true, false}:
		return "[Getter]"
	case [2]bool{false, true}:
		return "[Setter]"
	}
	return "undefined"
}
