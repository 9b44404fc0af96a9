package context

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxElement bounds the index of an element.
const maxElement = 1<<16 - 1

// pathParser reads a path step by step; rest is what it has not read yet.
type pathParser struct{ rest string }

// accept removes a prefix if it is there.
func (p *pathParser) accept(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

// steps reads to the end. Only the first name of a path needs no dot in front of it.
func (p *pathParser) steps(first bool) ([]Step, error) {
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

func (p *pathParser) step(first bool) (Step, error) {
	if p.accept("[") {
		return p.bracket()
	}
	if !first && !p.accept(".") {
		return Step{}, fmt.Errorf("want . or [ before %q", p.rest)
	}
	if p.accept("get(") {
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

// bracket reads what follows [: a name in quotation marks, or an index.
func (p *pathParser) bracket() (Step, error) {
	if p.rest == "" || p.rest[0] != '"' && p.rest[0] != '\'' {
		index, rest, closed := strings.Cut(p.rest, "]")
		if !closed || !isIndex(index) {
			return Step{}, errors.New(`want ["NAME"] or [INDEX]`)
		}
		p.rest = rest
		return element(index)
	}
	name, err := p.quoted()
	if err == nil && !p.accept("]") {
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

// entry reads what follows get(.
func (p *pathParser) entry() (Step, error) {
	s, end := Step{Kind: MapEntry}, ")"
	if p.accept("Symbol.for(") {
		s.Kind, end = GlobalEntry, "))"
	} else if p.accept("Symbol(") {
		s.Kind, end = SymbolEntry, "))"
	}
	var err error
	if s.Name, err = p.quoted(); err != nil {
		return s, err
	}
	if !p.accept(end) {
		err = errors.New(`want get("KEY"), get(Symbol.for("KEY")) or get(Symbol("DESCRIPTION"))`)
	}
	return s, err
}

// argument reads a name in quotation marks and the parenthesis behind it; form is for the error.
func (p *pathParser) argument(form string) (string, error) {
	name, err := p.quoted()
	if err != nil || !p.accept(")") {
		return "", fmt.Errorf("want %s", form)
	}
	return name, nil
}

// quoted reads a name in quotation marks of either kind; a backslash takes the next character as it is.
func (p *pathParser) quoted() (string, error) {
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
			i += p.escaped(p.rest[i:], &b)
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a quotation mark is not closed")
}

// escaped writes what a backslash and what follows stand for: \n, \x0a or \u000a as strconv.Quote writes them, else the
// next character. It returns how many bytes follow the backslash.
func (p *pathParser) escaped(text string, to *strings.Builder) int {
	char, wide, rest, err := strconv.UnquoteChar(text, p.rest[0])
	switch {
	case err != nil:
		to.WriteByte(text[1])
		return 1
	case wide:
		to.WriteRune(char)
	default:
		to.WriteByte(byte(char))
	}
	return len(text) - len(rest) - 1
}
