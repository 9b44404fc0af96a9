package value

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// collection is the form of a Map or a Set.
func (s *printing) collection(o *object, usual string) (form, error) {
	read := s.Heap.Set
	if usual == "Map" {
		read = s.Heap.Map
	}
	table, err := read(o.w)
	if err != nil {
		return form{}, err
	}
	f := form{open: o.of.before(s.l.V8, usual, fmt.Sprintf("(%d)", table.Size)) + "{", close: "}", usual: usual,
		shown: table.Size > 0}
	f.members = func(depth int) []string {
		s.indent += 2
		defer func() { s.indent -= 2 }()
		return s.entries(table, usual == "Map", depth)
	}
	return f, nil
}

// The V8 of Node 18, which shows all entries, and the first one behind it.
var allEntries, someEntries = layout.Version{Major: 10, Minor: 1}, layout.Version{Major: 10, Minor: 3}

// entries prints the entries of a Map or a Set, and says how many more there are.
func (s *printing) entries(table *heap.Collection, values bool, depth int) (out []string) {
	most := maxElements
	if s.l.V8.Compare(allEntries) >= 0 && s.l.V8.Compare(someEntries) < 0 {
		most = maxPrinted
	}
	err := s.Heap.Each(table, func(key, value heap.Word) bool {
		if !s.afford(1) || len(out) == most || !s.goesOn() {
			return false
		}
		if hole, err := s.hole(key); err == nil && hole {
			return true
		}
		text := s.value(key, depth)
		if values {
			text += " => " + s.value(value, depth)
		}
		out = append(out, text)
		return true
	})
	if err != nil {
		return append(out, unread(err))
	}
	if left := table.Size - len(out); left > 0 {
		out = append(out, fmt.Sprintf("... %d more item%s", left, plural(left)))
	}
	return out
}
