package functions

import (
	"strings"
	"unicode/utf16"

	"github.com/hotspan/hotspan/v8/heap"
)

// esbuild's helper __name(function, "name") gives a function the name that it has in the source, by a property, with
// the option keepNames, as tsx and other loaders of TypeScript set it. V8 itself has no name for the function then.
// (internal/runtime/runtime.go of esbuild)
const keepsName = "__name"

// Limits of what is read of a script before and behind such a function, in UTF-16 units.
const (
	helperWindow = 64
	nameWindow   = 256
)

// keptName is the name that esbuild's helper gives to a function that has none by itself; empty if there is no such
// call around it.
func (v *Resolver) keptName(f *heap.Function) string {
	if f.Name != "" || f.Script == 0 || f.Start < len(keepsName) || f.End < f.Start {
		return ""
	}
	from := max(0, f.Start-helperWindow)
	before, err := v.r.SourcePart(f.Script, from, f.Start-from)
	if err != nil || before.Len() < f.Start-from {
		return ""
	}
	depth := helperDepth(before.Units())
	if depth == 0 {
		return ""
	}
	behind, err := v.r.SourcePart(f.Script, f.End, nameWindow)
	if err != nil {
		return ""
	}
	return secondArgument(behind.Units(), depth)
}

// helperDepth returns how many parentheses are open between the helper's name and a function that begins behind a text.
// 0: the function is not what the helper is called with.
func helperDepth(text []uint16) (depth int) {
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
	if strings.TrimRight(ascii(s.word()), "0123456789") != keepsName || s.take('.') {
		return 0
	}
	return depth
}

// secondArgument returns the string that is the last argument of a call in whose first a text begins, so many
// parentheses deep. Empty: there is none, or it has escapes.
func secondArgument(text []uint16, depth int) string {
	rest := string(utf16.Decode(text))
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
