package context

import (
	"slices"
	"unicode/utf16"
)

// Name is what a property, or the key of a JavaScript Map, is found by.
type Name struct {
	Kind NameKind
	Text string
}

// NameKind says what V8 keeps a name as.
type NameKind uint8

// The kinds of name.
const (
	StringName  NameKind = iota
	SymbolName           // a symbol with this description
	GlobalName           // the symbol that Symbol.for gives for it
	PrivateName          // a private name of a class, which is a symbol too; with its #
)

// name is what the step looks for; ok is false for an element, which has none.
func (s Step) name() (n Name, ok bool) {
	n.Text = s.Name
	switch {
	case s.Kind == Element:
		return n, false
	case s.Kind == SymbolEntry:
		n.Kind = SymbolName
	case s.Kind == GlobalEntry:
		n.Kind = GlobalName
	case s.Kind == Property && len(s.Name) > 1 && s.Name[0] == '#':
		n.Kind = PrivateName
	}
	return n, true
}

// matches reports whether a step leads to what has this name.
func (s Step) matches(text string, symbol, registered, secret bool) bool {
	n, ok := s.name()
	return ok && n.matches(text, symbol, registered, secret)
}

// matches reports whether a key that V8 keeps is this name. registered says of a symbol that Symbol.for gives it,
// secret that it is a private name.
func (n Name) matches(text string, symbol, registered, secret bool) bool {
	if n.Text != text {
		return false
	}
	switch n.Kind {
	case SymbolName:
		return symbol && !secret
	case GlobalName:
		return symbol && registered
	case PrivateName:
		return secret
	}
	return !symbol
}

// Encode returns the units of UTF-16 of a name, and the bytes that V8 keeps of each: 1 if all are Latin-1, else 2.
func (n Name) Encode() (units []uint16, width int) {
	units = utf16.Encode([]rune(n.Text))
	if slices.ContainsFunc(units, func(u uint16) bool { return u > 0xff }) {
		return units, 2
	}
	return units, 1
}
