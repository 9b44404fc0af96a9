package context

import (
	"errors"
	"fmt"
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

// Step is one step of a path.
type Step struct {
	Kind  StepKind
	Name  string // property name, key, or description of the symbol; empty for an element
	Index int    // of an element
}

// String writes a step as in a rule.
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
	if strings.ContainsAny(s.Name, notInNames) || isIndex(s.Name) {
		return "[" + strconv.Quote(s.Name) + "]"
	}
	return s.Name
}

// PathString writes steps as a rule has them behind the store: user.orders[0].id.
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

// notInNames are the characters that end a name that is not in quotation marks.
const notInNames = ".[]()\"'` \t\n"

// maxElement bounds the index of an element.
const maxElement = 1<<16 - 1

func isIndex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// path reads the steps of a rule, one by one.
type path struct{ rest string }

// take removes a prefix if it is there.
func (p *path) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

// steps reads all that is left. The first name needs no dot in front of it.
func (p *path) steps(first bool) ([]Step, error) {
	var out []Step
	for p.rest != "" {
		s, err := p.step(first && len(out) == 0)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (p *path) step(first bool) (Step, error) {
	if p.take("[") {
		return p.bracket()
	}
	if !first && !p.take(".") {
		return Step{}, fmt.Errorf("want . or [ before %q", p.rest)
	}
	if p.take("get(") {
		return p.entry()
	}
	end := strings.IndexAny(p.rest, notInNames)
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	switch {
	case name == "":
		return Step{}, errors.New("an empty property name in the path")
	case isIndex(name):
		return element(name)
	}
	return Step{Name: name}, nil
}

// bracket reads what is behind [: a name in quotation marks, or an index.
func (p *path) bracket() (Step, error) {
	if p.rest == "" || p.rest[0] != '"' && p.rest[0] != '\'' {
		index, rest, closed := strings.Cut(p.rest, "]")
		if !closed || !isIndex(index) {
			return Step{}, errors.New(`want ["NAME"] or [INDEX]`)
		}
		p.rest = rest
		return element(index)
	}
	name, err := p.quoted()
	if err == nil && !p.take("]") {
		err = errors.New(`want ["NAME"] or [INDEX]`)
	}
	return Step{Name: name}, err
}

func element(index string) (Step, error) {
	n, err := strconv.Atoi(index)
	if err != nil || n > maxElement {
		return Step{}, fmt.Errorf("element %s: at most %d", index, maxElement)
	}
	return Step{Kind: Element, Index: n}, nil
}

// entry reads what is behind get(.
func (p *path) entry() (Step, error) {
	s := Step{Kind: MapEntry}
	if p.take("Symbol.for(") {
		s.Kind = GlobalEntry
	} else if p.take("Symbol(") {
		s.Kind = SymbolEntry
	}
	var err error
	if s.Name, err = p.quoted(); err != nil {
		return s, err
	}
	if !p.take(map[bool]string{true: ")", false: "))"}[s.Kind == MapEntry]) {
		err = errors.New(`want get("KEY"), get(Symbol.for("KEY")) or get(Symbol("DESCRIPTION"))`)
	}
	return s, err
}

// quoted reads a name in quotation marks of either kind; a backslash takes the next character as it is.
func (p *path) quoted() (string, error) {
	if p.rest == "" || p.rest[0] != '"' && p.rest[0] != '\'' {
		return "", fmt.Errorf("want a name in quotation marks, not %q", p.rest)
	}
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == p.rest[0] && b.Len() == 0:
			return "", errors.New("an empty name in quotation marks")
		case c == p.rest[0]:
			p.rest = p.rest[i+1:]
			return b.String(), nil
		case c == '\\' && i+1 < len(p.rest):
			i++
			b.WriteByte(p.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a quotation mark is not closed")
}
