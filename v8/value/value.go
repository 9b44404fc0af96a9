package value

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Print prints a value.
func (p *Printer) Print(w heap.Word) string {
	s := printing{Printer: p, l: p.Heap.Layout(), circular: map[heap.Word]int{},
		made: map[heap.Word]origin{}}
	return s.value(w, 0)
}

// value prints a value that is depth objects deep.
func (s *printing) value(w heap.Word, depth int) string {
	if s.printed++; s.printed > maxPrinted {
		return "<more than is printed>"
	}
	if w.IsSmi() {
		return number(float64(w.Smi()))
	}
	object, _, err := s.Heap.Forwarded(w)
	if err != nil {
		return unread(err)
	}
	typ, err := s.Heap.Type(object)
	switch {
	case err != nil:
		return unread(err)
	case typ < s.l.At(layout.FirstNonStringType):
		return s.text(object)
	case typ == s.l.At(layout.TypeSymbol):
		return s.symbol(object)
	case typ == s.l.At(layout.TypeHeapNumber):
		bits, err := s.Heap.Number(object)
		if err != nil {
			return unread(err)
		}
		return number(float(bits))
	case typ == s.l.At(layout.TypeOddball):
		text, err := s.Heap.OddballText(object)
		if err != nil {
			return unread(err)
		}
		return text
	case typ >= s.l.At(layout.TypeJSFunctionFirst) && typ <= s.l.At(layout.TypeJSFunctionLast):
		name, _ := s.function(object)
		return "<function" + strings.TrimRight(" "+name, " ") + ">"
	case typ != s.l.At(layout.TypeJSObject) && typ != s.l.At(layout.TypeJSArray):
		return "<" + s.what(object, typ) + ">"
	}
	if slices.Contains(s.seen, object) {
		if s.circular[object] == 0 {
			s.circular[object] = len(s.circular) + 1
		}
		return fmt.Sprintf("[Circular *%d]", s.circular[object])
	}
	return s.object(object, typ == s.l.At(layout.TypeJSArray), depth)
}

// text prints a string in quotes; a long one in an object line by line.
func (s *printing) text(w heap.Word) string {
	n, err := s.Heap.StringUnits(w)
	if err != nil {
		return unread(err)
	}
	t, err := s.Heap.Text(w, maxText)
	if err != nil {
		return unread(err)
	}
	trailer := ""
	if n > maxText {
		trailer = fmt.Sprintf("... %d more character%s", n-maxText, plural(n-maxText))
	}
	all := units(t)
	const least = 16
	if len(all) <= least || len(all) <= breakLength-s.indent-4 {
		return quote(all) + trailer
	}
	var lines []string
	for len(all) > 0 {
		end := slices.Index(all, '\n') + 1
		if end == 0 {
			end = len(all)
		}
		lines = append(lines, quote(all[:end]))
		all = all[end:]
	}
	return strings.Join(lines, " +\n"+strings.Repeat(" ", s.indent+2)) + trailer
}

func (s *printing) symbol(w heap.Word) string {
	text, _, _, err := s.Heap.SymbolText(w)
	if err != nil {
		return unread(err)
	}
	return "Symbol(" + text + ")"
}

// object prints a plain object or an array. (Node.js, lib/internal/util/inspect.js, formatRaw)
func (s *printing) object(w heap.Word, array bool, depth int) string {
	own, err := s.own(w)
	if err != nil {
		return "<" + s.whatOf(array) + ", " + strings.TrimPrefix(unread(err), "<")
	}
	own = slices.DeleteFunc(own, func(p heap.Own) bool { return !p.Enumerable })
	of, ok := s.origin(w)
	if !ok {
		return "<" + s.whatOf(array) + ", its prototypes cannot be read>"
	}
	elements, err := s.elements(w, array)
	if err != nil {
		return "<" + s.whatOf(array) + ", " + strings.TrimPrefix(unread(err), "<")
	}
	braces := [2]string{prefix(of, "Object", "") + "{", "}"}
	if array {
		braces = [2]string{prefix(of, "Array", fmt.Sprintf("(%d)", elements.length)) + "[", "]"}
	}
	if elements.empty() && len(own) == 0 {
		return braces[0] + braces[1]
	}
	if depth > min(s.Depth, maxDepth) {
		return short(of, s.whatOf(array))
	}
	depth++
	s.seen = append(s.seen, w)
	s.depth = depth
	out := s.members(&elements, own, depth)
	s.seen = s.seen[:len(s.seen)-1]
	base := ""
	if n := s.circular[w]; n > 0 {
		base = fmt.Sprintf("<ref *%d>", n)
	}
	return s.join(out, base, braces, elements, depth)
}

func (s *printing) whatOf(array bool) string {
	if array {
		return "Array"
	}
	return "Object"
}

// prefix says what made an object, before its members, where that is not the usual function. (getPrefix)
func prefix(of origin, usual, size string) string {
	tag := of.tagText()
	switch {
	case of.name == "":
		return "[" + usual + size + ": null prototype] " + tag
	case of.name == usual && tag == "":
		return ""
	}
	return of.name + size + " " + tag
}

// short stands for an object that is deeper than what is shown.
func short(of origin, usual string) string {
	if of.name == "" {
		return strings.TrimRight(prefix(of, usual, ""), " ")
	}
	return "[" + strings.TrimRight(of.name+" "+of.tagText(), " ") + "]"
}

// members prints elements, then properties with names, then those with symbols.
func (s *printing) members(elements *elements, own []heap.Own, depth int) []string {
	out := elements.print(s, func(w heap.Word) string { return s.value(w, depth) })
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
			if key, ok := s.key(p.Key, symbols); ok {
				out = append(out, key+": "+s.member(p, depth))
			}
		}
	}
	return out
}

// bareSymbols is the V8 of Node 24, which no longer puts keys that are symbols into brackets.
var bareSymbols = layout.Version{Major: 13, Minor: 6}

var plainKey = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z_0-9]*$`)

// key prints the key of a property; ok is false where JavaScript does not see it, as private names.
func (s *printing) key(w heap.Word, symbol bool) (text string, ok bool) {
	if symbol {
		text, _, secret, err := s.Heap.SymbolText(w)
		if err != nil {
			return unread(err), true
		}
		if s.l.V8.Compare(bareSymbols) >= 0 {
			return "Symbol(" + text + ")", !secret
		}
		return "[Symbol(" + text + ")]", !secret
	}
	t, err := s.Heap.Text(w, maxText)
	if err != nil {
		return unread(err), true
	}
	if t.Two == nil && plainKey.Match(t.One) {
		return string(t.One), true
	}
	return quote(units(t)), true
}

// member prints the value of a property.
func (s *printing) member(p heap.Own, depth int) string {
	if p.Accessor {
		return s.accessor(p.Value)
	}
	s.indent += 2
	defer func() { s.indent -= 2 }()
	return s.value(p.Value, depth)
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
