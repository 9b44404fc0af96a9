package value

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Print prints a value.
func (p *Printer) Print(w heap.Word) string {
	s := p.begin()
	s.value = s.print
	return s.print(w, 0)
}

// print prints a value that is depth objects deep.
func (s *printing) print(w heap.Word, depth int) string {
	if s.printed++; s.printed > maxPrinted {
		return "<more than is printed>"
	}
	if w.IsSmi() {
		return Number(float64(w.Smi()))
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
		return Number(float(bits))
	case typ == s.l.At(layout.TypeOddball):
		text, err := s.Heap.OddballText(object)
		if err != nil {
			return unread(err)
		}
		return text
	case typ == s.l.At(layout.TypeBigInt):
		return s.bigInt(object)
	case s.Types[typ] == "JSProxy":
		return s.proxy(object, depth)
	}
	if slices.Contains(s.seen, object) {
		if s.circular[object] == 0 {
			s.circular[object] = len(s.circular) + 1
		}
		return fmt.Sprintf("[Circular *%d]", s.circular[object])
	}
	return s.object(object, typ, depth)
}

// text prints a string in quotes; a long one in an object line by line.
func (s *printing) text(w heap.Word) string {
	t, trailer, err := s.long(w)
	if err != nil {
		return unread(err)
	}
	if !s.afford(t.Len() / 16) {
		return "<more than is printed>"
	}
	all := t.Units()
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
