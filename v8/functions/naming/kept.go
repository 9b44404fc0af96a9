package naming

import (
	"regexp"
	"strings"
)

// esbuild's helper __name(function, "name") gives a function the name that it has in the source, by a property, with
// the option keepNames, as tsx and other loaders of TypeScript set it. V8 itself has no name for the function then, or
// that of a minifier, which gives the helper another name, too. (internal/runtime/runtime.go of esbuild)
const keepsName = "__name"

// IsHelper reports whether this is what esbuild calls the helper, with a number behind it where a file has several.
func IsHelper(name string) bool { return strings.TrimRight(name, "0123456789") == keepsName }

// definition is esbuild's "var __name = (target, value) => __defProp(target, "name", { value, configurable: true })".
var definition = regexp.MustCompile(`([\w$]+)\s*=\s*\(([\w$]+),\s*([\w$]+)\)\s*=>\s*[\w$]+\(([\w$]+),\s*` +
	`"name",\s*\{\s*value:\s*([\w$]+),\s*configurable:\s*(?:!0|true)\s*\}\)`)

// DefinedHelper finds the name of the helper in the text that defines it.
func DefinedHelper(text string) string {
	for _, m := range definition.FindAllStringSubmatch(text, -1) {
		if m[2] == m[4] && m[3] == m[5] && m[2] != m[3] {
			return m[1]
		}
	}
	return ""
}

// HelperCall returns how many parentheses are open between what may be the helper's name, and a function that begins
// behind a text. 0: the function is not what anything is called with.
func HelperCall(text []uint16) (depth int, helper string) {
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

// CallBehind reads HELPER(FUNCTION,"name") at the start of what follows the declaration of a function.
func CallBehind(text, function string) (helper, name string) {
	helper, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	rest, same := strings.CutPrefix(strings.TrimSpace(rest), function)
	if !ok || !same || helper == "" {
		return "", ""
	}
	return helper, SecondArgument(rest, 1)
}

// SecondArgument returns the string that is the last argument of a call in whose first a text ends, so many parentheses
// deep. Empty: there is none, or it has escapes.
func SecondArgument(rest string, depth int) string {
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
