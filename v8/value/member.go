package value

import (
	"regexp"
	"unicode/utf16"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// members prints properties: first those with names, then those with symbols.
func (s *printing) members(own []heap.Own, depth int) (out []string) {
	for _, symbols := range []bool{false, true} {
		for _, p := range own {
			typ, err := s.Heap.Type(p.Key)
			if err != nil {
				out = append(out, unread(err))
				continue
			}
			if (typ == s.l.At(layout.TypeSymbol)) != symbols {
				continue
			}
			if !s.goesOn() {
				return append(out, unread(errTooMuch))
			}
			out = append(out, s.key(p, symbols)+": "+s.member(p, depth))
		}
	}
	return out
}

// bareSymbols is the V8 of Node 24, which no longer puts keys that are symbols into brackets.
var bareSymbols = layout.Version{Major: 13, Minor: 6}

var plainKey = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z_0-9]*$`)

// key prints the key of a property.
func (s *printing) key(p heap.Own, symbol bool) string {
	if symbol {
		text, _, private, err := s.Heap.SymbolText(p.Key)
		switch {
		case err != nil:
			return unread(err)
		case private:
			return text
		}
		text = escape(utf16.Encode([]rune(text)), '\'')
		if s.l.V8.Compare(bareSymbols) >= 0 {
			return "Symbol(" + text + ")"
		}
		return "[Symbol(" + text + ")]"
	}
	t, trailer, err := s.long(p.Key)
	switch {
	case err != nil:
		return unread(err)
	case !p.Enumerable: // only those of errors are shown
		return "[" + t.String() + "]" + trailer
	case string(t.One) == "__proto__":
		return "['__proto__']" // without brackets it would stand for the prototype
	case t.Two == nil && plainKey.Match(t.One):
		return string(t.One) + trailer
	}
	return quote(t.Units()) + trailer
}
