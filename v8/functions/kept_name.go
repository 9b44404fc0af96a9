package functions

import (
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/hotspan/hotspan/v8/heap"
)

// esbuild's helper __name(function, "name") gives a function the name that it has in the source, by a property, with
// the option keepNames, as tsx and other loaders of TypeScript set it. V8 itself has no name for the function then, or
// that of a minifier, which gives the helper another name, too. (internal/runtime/runtime.go of esbuild)
const keepsName = "__name"

// Limits of what is read of a script before and behind such a function, and at its start, where the helper is, in
// UTF-16 units.
const (
	helperWindow = 64
	nameWindow   = 256
	headWindow   = 16 << 10
)

// shortName is the length up to which a name may be a minifier's.
const shortName = 2

// keptName is the name that esbuild's helper gives to a function that has none by itself, or a short one; empty if
// there is no such call around it, or behind it.
func (v *Resolver) keptName(f *heap.Function, s *script) string {
	if len(f.Name) > shortName || f.Script == 0 || f.Start < 0 || f.End < f.Start {
		return ""
	}
	depth, helper := 0, ""
	if f.Name == "" {
		from := max(0, f.Start-helperWindow)
		before, err := v.r.SourcePart(f.Script, from, f.Start-from)
		if err != nil || before.Len() < f.Start-from {
			return ""
		}
		if depth, helper = helperCall(before.Units()); depth == 0 {
			return ""
		}
	}
	behind, err := v.r.SourcePart(f.Script, f.End, nameWindow)
	if err != nil {
		return ""
	}
	text, name := string(utf16.Decode(behind.Units())), ""
	if f.Name == "" {
		name = secondArgument(text, depth)
	} else {
		helper, name = callBehind(text, f.Name)
	}
	if name == "" || strings.TrimRight(helper, "0123456789") != keepsName && helper != v.helper(f, s) {
		return ""
	}
	return name
}

// helper is what the helper is called in a script where a minifier has named it; empty if it is not at its start.
func (v *Resolver) helper(f *heap.Function, s *script) string {
	if s == nil {
		return ""
	}
	if s.helperRead {
		return s.helper
	}
	head, err := v.r.SourcePart(f.Script, 0, headWindow)
	if err != nil {
		return ""
	}
	s.helper, s.helperRead = definedHelper(string(utf16.Decode(head.Units()))), true
	return s.helper
}

// definition is esbuild's "var __name = (target, value) => __defProp(target, "name", { value, configurable: true })".
var definition = regexp.MustCompile(`([\w$]+)\s*=\s*\(([\w$]+),\s*([\w$]+)\)\s*=>\s*[\w$]+\(([\w$]+),\s*` +
	`"name",\s*\{\s*value:\s*([\w$]+),\s*configurable:\s*(?:!0|true)\s*\}\)`)

// definedHelper finds the name of the helper in the text that defines it.
func definedHelper(text string) string {
	for _, m := range definition.FindAllStringSubmatch(text, -1) {
		if m[2] == m[4] && m[3] == m[5] && m[2] != m[3] {
			return m[1]
		}
	}
	return ""
}

// helperCall returns how many parentheses are open between what may be the helper's name, and a function that begins
// behind a text. 0: the function is not what anything is called with.
func helperCall(text []uint16) (depth int, helper string) {
	s := source{text, len(text)}
	s.take('*')
	for _, keyword := range []string{"function", "async"} {
		if before := s; equal(before.word(), keyword) {
			s = before
		}
	}
	for s.take('(') {
		depth++
	}
	if helper = ascii(s.word()); helper == "" || s.take('.') {
		return 0, ""
	}
	return depth, helper
}

// callBehind reads HELPER(FUNCTION,"name") at the start of what follows the declaration of a function.
func callBehind(text, function string) (helper, name string) {
	helper, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	rest, same := strings.CutPrefix(strings.TrimSpace(rest), function)
	if !ok || !same || helper == "" {
		return "", ""
	}
	return helper, secondArgument(rest, 1)
}

// secondArgument returns the string that is the last argument of a call in whose first a text ends, so many parentheses
// deep. Empty: there is none, or it has escapes.
func secondArgument(rest string, depth int) string {
	for depth--; depth > 0; depth-- {
		var ok bool
		if rest, ok = strings.CutPrefix(strings.TrimSpace(rest), ")"); !ok {
			return ""
		}
	}
	rest, comma := strings.CutPrefix(strings.TrimSpace(rest), ",")
	rest, quote := strings.CutPrefix(strings.TrimSpace(rest), `"`)
	name, rest, end := strings.Cut(rest, `"`)
	if !comma || !quote || !end || strings.ContainsAny(name, "\\\n") ||
		!strings.HasPrefix(strings.TrimSpace(rest), ")") {
		return ""
	}
	return name
}
