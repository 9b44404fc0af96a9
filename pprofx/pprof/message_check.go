package pprof

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

var errMalformed = errors.New("malformed profile format")

// check returns an error if the message refers to what is not in it. Afterwards functions, locations and mappings are
// sorted by id.
func (m *message) check() error {
	switch {
	case len(m.strings) > 0 && m.strings[0] != "":
		return errors.New("string_table[0] must be ''")
	case len(m.types) == 0 && len(m.samples) > 0:
		return errors.New("missing sample type information")
	}
	return cmp.Or(m.checkStrings(), m.checkValues(),
		sortByID(m.mappings, "mapping"), sortByID(m.functions, "function"), sortByID(m.locations, "location"),
		m.checkLines(), m.checkStacks())
}

// checkStrings looks at all references to strings.
func (m *message) checkStrings() error {
	n := uint64(len(m.strings))
	ok := m.periodType.name < n && m.periodType.unit < n
	for _, t := range m.types {
		ok = ok && t.name < n && t.unit < n
	}
	for _, i := range m.names {
		ok = ok && i < n
	}
	for _, i := range m.comments {
		ok = ok && i < n
	}
	for i := range m.mappings {
		ok = ok && m.mappings[i].file < n && m.mappings[i].buildID < n
	}
	for i := range m.functions {
		f := &m.functions[i]
		ok = ok && f.name < n && f.systemName < n && f.file < n
	}
	for i := range m.labels.len() {
		for rest := m.labels.at(i); len(rest) > 0; {
			var l labelRefs
			l, rest = takeLabelRefs(rest)
			ok = ok && l.key < n && l.str < n && (l.str != 0 || l.unit < n)
		}
	}
	if !ok {
		return errMalformed
	}
	return nil
}

func (m *message) checkValues() error {
	for i := range m.values.len() {
		n := 0
		for range varintsOf(m.values.at(i)) {
			n++
		}
		if n != len(m.types) {
			return fmt.Errorf("mismatch: sample has %d values vs. %d types", n, len(m.types))
		}
	}
	return nil
}

func (m *message) checkLines() error {
	for i := range m.locations {
		l := &m.locations[i]
		for _, line := range m.lines[l.line:l.end] {
			if findID(m.functions, line.function) == nil {
				return fmt.Errorf("location id: %d has a line with nil function", l.id)
			}
		}
	}
	return nil
}

func (m *message) checkStacks() error {
	for i := range m.stacks.len() {
		for id := range varintsOf(m.stacks.at(i)) {
			if findID(m.locations, id) == nil {
				return errors.New("sample has nil location")
			}
		}
	}
	return nil
}

// entity is what others refer to by id. 0 is no id.
type entity interface{ ref() uint64 }

func (r mappingRefs) ref() uint64  { return r.id }
func (r locationRefs) ref() uint64 { return r.id }
func (r functionRefs) ref() uint64 { return r.id }

// sortByID returns an error if two have the same id, or one has none.
func sortByID[T entity](table []T, name string) error {
	byID := func(a, b T) int { return cmp.Compare(a.ref(), b.ref()) }
	if !slices.IsSortedFunc(table, byID) {
		slices.SortStableFunc(table, byID)
	}
	for i, entity := range table {
		switch id := entity.ref(); {
		case id == 0:
			return fmt.Errorf("found %s with reserved ID=0", name)
		case i > 0 && id == table[i-1].ref():
			return fmt.Errorf("multiple %ss with same id: %d", name, id)
		}
	}
	return nil
}

// findID returns what has an id in a table that is sorted, or nil.
func findID[T entity](table []T, id uint64) *T {
	if i := id - 1; i < uint64(len(table)) && table[i].ref() == id { // as they are mostly numbered
		return &table[i]
	}
	i, ok := slices.BinarySearchFunc(table, id, func(entity T, id uint64) int { return cmp.Compare(entity.ref(), id) })
	if !ok {
		return nil
	}
	return &table[i]
}

// varintsOf goes through varints that appendNumbers has read.
func varintsOf(packed []byte) func(func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for len(packed) > 0 {
			x, n := protowire.ConsumeVarint(packed)
			packed = packed[n:]
			if !yield(x) {
				return
			}
		}
	}
}
