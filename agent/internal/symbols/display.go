package symbols

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

const (
	// maxName bounds names in the file, in bytes. Longer ones are cut off.
	maxName = 16 << 10
	// maxDemangledPower bounds demangled names to 2^16 bytes; a few mangled bytes can stand for millions. The longest
	// in Node 26 has 14,565.
	maxDemangledPower = 16
	// maxMangled bounds names that are demangled, in bytes: for some names the time grows with the square of that. Of
	// two million in the files of Debian and Node.js the longest has 989.
	maxMangled = 2 << 10
	// conversion begins a conversion operator. The time for such operators in the template arguments of others doubles
	// with each. None of those names has more than three.
	conversion, maxConversions = "cv", 4
	// maxShown bounds names that users see, in bytes.
	maxShown = 1024
	// maxArguments bounds a list of template arguments, in bytes.
	maxArguments = 64
)

// Demangled returns the name that Lookup gives for one in a file.
func Demangled(name string) string { return display(name) }

// display turns a name of a symbol table into the one that users see.
func display(name string) string {
	name, _, _ = strings.Cut(name, "@") // memcpy@@GLIBC_2.14
	if isMangled(name) && len(name) <= maxMangled && strings.Count(name, conversion) <= maxConversions {
		name = shorten(demangle.Filter(name, demangle.NoParams, demangle.NoEnclosingParams,
			demangle.MaxLength(maxDemangledPower)))
	}
	return strings.ToValidUTF8(name[:min(len(name), maxShown)], "")
}

func isMangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R")
}

// shorten replaces long lists of template arguments by <...>.
func shorten(name string) string {
	if len(name) <= maxArguments {
		return name
	}
	var s shortener
	for i := 0; i < len(name); {
		if n := notBracket(name[i:]); n > 0 {
			s.out = append(s.out, name[i:i+n]...)
			i += n
			continue
		}
		s.add(name[i])
		i++
	}
	if s.angles > 0 {
		s.cut()
	}
	return string(s.out)
}

// notBracket returns the length of the token at the start of rest if it has < or > as an operator, else 0.
func notBracket(rest string) int {
	const word = "operator"
	if strings.HasPrefix(rest, "->") {
		return len("->")
	}
	after, ok := strings.CutPrefix(rest, word)
	if !ok {
		return 0
	}
	for _, op := range []string{"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"} {
		if strings.HasPrefix(after, op) {
			return len(word) + len(op)
		}
	}
	return 0
}

// shortener copies a name and replaces outermost <...> that turn out too long.
type shortener struct {
	out    []byte
	open   []byte // open brackets: < and (
	angles int    // how many of them are <
	from   int    // where in out the outermost < is
}

func (s *shortener) add(c byte) {
	if c == '<' && s.angles == 0 {
		s.from = len(s.out)
	}
	s.out = append(s.out, c)
	switch c {
	case '<', '(':
		s.push(c)
	case '>':
		if n := len(s.open); n > 0 && s.open[n-1] == '<' { // else a comparison within parentheses
			s.pop()
			if s.angles == 0 {
				s.cut()
			}
		}
	case ')':
		s.closeParenthesis()
	}
}

func (s *shortener) push(c byte) {
	s.open = append(s.open, c)
	if c == '<' {
		s.angles++
	}
}

func (s *shortener) pop() (c byte) {
	n := len(s.open) - 1
	c, s.open = s.open[n], s.open[:n]
	if c == '<' {
		s.angles--
	}
	return c
}

// closeParenthesis closes any < within too: it was a comparison.
func (s *shortener) closeParenthesis() {
	for len(s.open) > 0 && s.pop() != '(' {
	}
}

func (s *shortener) cut() {
	if len(s.out)-s.from-len("<>") > maxArguments {
		s.out = append(s.out[:s.from], "<...>"...)
	}
}
