package pprofx

import (
	"strconv"
	"strings"
	"unicode"
)

// frameText returns a frame as one line of text such as "handler /srv/app.js:12": the name, and file and line if known.
func frameText(f *Frame) string {
	text := f.Function
	if f.File != "" {
		text += " " + f.File
		if f.Line > 0 {
			text += ":" + strconv.Itoa(f.Line)
		}
	}
	return oneLine(text)
}

// oneLine replaces control characters and unusual spaces by blanks, and bytes that are not UTF-8.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, valid(s))
}

// noSpaces is oneLine with underscores for blanks, for fields that end at a blank.
func noSpaces(s string) string { return strings.ReplaceAll(oneLine(s), " ", "_") }

// valid returns s as valid UTF-8, which protobuf demands: strict readers refuse a whole profile for one bad byte, and
// the kernel cuts thread names at 15 bytes, even in the middle of a character.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
