package context

import (
	"strconv"
	"strings"
)

// StepKind says what a step leads to.
type StepKind uint8

// The kinds of step.
const (
	Property    StepKind = iota // of an object, by name; a private one where the name begins with #
	MapEntry                    // of a JavaScript Map, by a key that is a string
	SymbolEntry                 // of a JavaScript Map, by a symbol with this description
	GlobalEntry                 // of a JavaScript Map, by the symbol that Symbol.for gives
	Element                     // of an array, by index
)

// Step is one step of a path: from an object to one of its values.
type Step struct {
	Kind  StepKind
	Name  string // property name, key, or description of the symbol; empty for an element
	Index int    // of an element, from 0 to 65,535
}

// String writes a step as a rule has it.
func (s Step) String() string {
	switch s.Kind {
	case MapEntry:
		return "get(" + strconv.Quote(s.Name) + ")"
	case SymbolEntry:
		return "get(Symbol(" + strconv.Quote(s.Name) + "))"
	case GlobalEntry:
		return "get(Symbol.for(" + strconv.Quote(s.Name) + "))"
	case Element:
		return "[" + strconv.Itoa(s.Index) + "]"
	}
	if strings.ContainsAny(s.Name, notInNames) || isIndex(s.Name) || s.Name != strings.TrimSpace(s.Name) {
		return "[" + strconv.Quote(s.Name) + "]"
	}
	return s.Name
}

// PathString writes a path as a rule has it, without the store that it begins at: user.orders[0].id.
func PathString(path []Step) string {
	var b strings.Builder
	for i, s := range path {
		text := s.String()
		if i > 0 && text[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(text)
	}
	return b.String()
}

// notInNames are the characters that end a name without quotation marks.
const notInNames = ".[]()\"'` \t\n"

func isIndex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
