// Package naming finds in a script's text what its functions have their names from.
//
// It reads what is before and behind a function, and is no parser: what it is not sure of it does not find.
package naming

import "slices"

// source is a piece of a script's text, and a place in it that is read backwards from.
type source struct {
	text []uint16
	at   int // the unit before it is the next
}

// Identifier finds, in the text around the start of a function, the identifier that V8 took the function's name from.
// What V8 calls its start is its parameter list, or the word "class" for a class without a constructor
// (Scope::start_position, src/parsing/parser-base.h). -1: it is not there. more: it may be further up, where the class
// of a constructor begins.
func Identifier(text []uint16, start int, name []uint16) (at int, more bool) {
	s := source{text, start}
	if s.follows("class") {
		if at := after(text, start+len("class"), name); at >= 0 {
			return at, false
		}
		return s.assigned(name), false
	}
	word := s.word()
	switch {
	case slices.Equal(word, name):
		return s.at, false
	case equal(word, "constructor"):
		return s.class(name)
	case len(word) > 0 && !equal(word, "function"):
		return -1, false
	case len(word) == 0 && s.take('*') && !equal(s.word(), "function"):
		return -1, false
	}
	if before := s; equal(before.word(), "async") {
		s = before
	}
	return s.assigned(name), false
}

// Nameless reports whether the parameter list of a function begins directly behind the word function, as minifiers
// write it.
func Nameless(text []uint16, start int) bool {
	s := source{text, start}
	return s.at > 0 && isIdentifier(text[s.at-1]) && equal(s.word(), "function")
}

// assigned finds a name in front of "=" or ":", where a function or class that has no name of its own gets it from.
func (s *source) assigned(name []uint16) int {
	if !s.take(':') {
		if !s.take('=') || s.takeAny("=!<>+-*/%^") {
			return -1
		}
		for s.takeAny("|&?") { // as in a ||= b
		}
	}
	word, at := s.word(), s.at
	if !slices.Equal(word, name) || s.take('.') {
		return -1
	}
	return at
}

// class finds the class that a constructor is of: the first brace that is open there begins its body. Braces in strings
// and comments are taken for braces, so the class must have the constructor's name, else nothing is found.
func (s *source) class(name []uint16) (at int, more bool) {
	for depth := 0; ; {
		switch {
		case s.at == 0:
			return -1, true
		case s.text[s.at-1] == '}':
			depth++
		case s.text[s.at-1] == '{':
			depth--
		}
		s.at--
		if depth < 0 {
			break
		}
	}
	return s.heading(name), false
}

// heading reads "class NAME", "NAME = class", each with or without "extends" and a name with dots.
func (s *source) heading(name []uint16) int {
	for range 3 {
		word := s.dotted()
		here := s.at
		switch {
		case len(word) == 0:
			return -1
		case equal(word, "class"):
			return s.assigned(name)
		case slices.Equal(word, name):
			if equal(s.word(), "class") {
				return here
			}
			s.at = here
		}
		if before := *s; equal(before.word(), "extends") {
			*s = before
		}
	}
	return -1
}

// dotted takes an identifier, or identifiers with dots between them.
func (s *source) dotted() []uint16 {
	s.space()
	end := s.at
	for len(s.word()) > 0 {
		before := *s
		if !before.take('.') {
			break
		}
		*s = before
	}
	return s.text[s.at:end]
}

// word takes the identifier or keyword before the place, which is empty where there is none.
func (s *source) word() []uint16 {
	s.space()
	end := s.at
	for s.at > 0 && isIdentifier(s.text[s.at-1]) {
		s.at--
	}
	return s.text[s.at:end]
}

func (s *source) take(c uint16) bool {
	s.space()
	if s.at > 0 && s.text[s.at-1] == c {
		s.at--
		return true
	}
	return false
}

func (s *source) takeAny(chars string) bool {
	for _, c := range chars {
		if s.at > 0 && s.text[s.at-1] == uint16(c) {
			s.at--
			return true
		}
	}
	return false
}

// space takes blanks, line ends and comments that have an end.
func (s *source) space() {
	for s.at > 0 {
		switch c := s.text[s.at-1]; {
		case c <= ' ' || c == 0xa0 || c == 0xfeff || c == 0x2028 || c == 0x2029:
			s.at--
		case c == '/' && s.at > 3 && s.text[s.at-2] == '*':
			i := s.at - 3
			for i > 0 && !(s.text[i] == '*' && s.text[i-1] == '/') {
				i--
			}
			if i == 0 {
				return
			}
			s.at = i - 1
		default:
			return
		}
	}
}

// follows reports whether a keyword stands behind the place.
func (s *source) follows(word string) bool {
	end := s.at + len(word)
	return end < len(s.text) && equal(s.text[s.at:end], word) && !isIdentifier(s.text[end])
}

// after finds a name as the next token behind a place.
func after(text []uint16, at int, name []uint16) int {
	for at < len(text) && text[at] <= ' ' {
		at++
	}
	end := at + len(name)
	if end < len(text) && slices.Equal(text[at:end], name) && !isIdentifier(text[end]) {
		return at
	}
	return -1
}

func equal(a []uint16, b string) bool {
	return len(a) == len(b) && string(b) == ascii(a)
}

func ascii(a []uint16) string {
	out := make([]byte, len(a))
	for i, c := range a {
		if c >= 0x80 {
			return ""
		}
		out[i] = byte(c)
	}
	return string(out)
}

// isIdentifier takes all of Unicode that is not ASCII for letters, but for what separates lines.
func isIdentifier(c uint16) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '#' ||
		c >= 0x80 && c != 0xa0 && c != 0xfeff && c != 0x2028 && c != 0x2029
}
