package pprofx

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// IsControl reports whether a terminal or an editor acts on a character in place of showing it: control characters of
// ASCII and Latin-1, and those that change the direction of the text beside them, by which text can look like another.
func IsControl(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// AppendEscaped appends text with such characters, but not those for which keep returns true, as JSON escapes them:
// \u001b. In a string of JSON that is the same text. Bytes that are not UTF-8 become U+FFFD.
func AppendEscaped(to, text []byte, keep func(rune) bool) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if IsControl(r) && !keep(r) {
			to = fmt.Appendf(to, `\u%04x`, r)
		} else {
			to = utf8.AppendRune(to, r)
		}
	}
	return to
}
