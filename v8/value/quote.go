package value

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

var escapes = map[uint16]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '\\': `\\`}

// quote puts a text into the quotes that need the least escaping, as util.inspect does. (Node.js,
// lib/internal/util/inspect.js, strEscape)
func quote(text []uint16) string {
	mark := uint16('\'')
	if slices.Contains(text, '\'') {
		plain := string(utf16.Decode(text))
		if !strings.Contains(plain, `"`) {
			mark = '"'
		} else if !strings.Contains(plain, "`") && !strings.Contains(plain, "${") {
			mark = '`'
		}
	}
	return string(rune(mark)) + escape(text, mark) + string(rune(mark))
}

// escape writes a text as it stands between quotes. Symbols that are keys are written so too, as if they stood between
// single ones.
func escape(text []uint16, mark uint16) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		escape, known := escapes[c]
		switch {
		case known:
			out.WriteString(escape)
		case c == mark && mark == '\'':
			out.WriteString(`\'`)
		case c < ' ' || c >= 0x7f && c <= 0x9f:
			fmt.Fprintf(&out, `\x%02X`, c)
		case !utf16.IsSurrogate(rune(c)):
			out.WriteRune(rune(c))
		case i+1 < len(text) && utf16.DecodeRune(rune(c), rune(text[i+1])) != '\ufffd':
			out.WriteRune(utf16.DecodeRune(rune(c), rune(text[i+1])))
			i++
		default:
			fmt.Fprintf(&out, `\u%04x`, c)
		}
	}
	return out.String()
}

// length is the number of UTF-16 units of a text, which is what JavaScript counts.
func length(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
