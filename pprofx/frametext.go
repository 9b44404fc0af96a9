package pprofx

import (
	"strconv"
	"strings"
	"unicode"
)

// frameText is a frame on one line of text, as in "handler /srv/app.js:12": name, and file and line where known.
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

// oneLine makes all control characters and unusual spaces blanks, and every byte UTF-8.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, valid(s))
}

// noSpaces is oneLine for fields that end at a blank.
func noSpaces(s string) string { return strings.ReplaceAll(oneLine(s), " ", "_") }

// valid returns s as valid UTF-8, which protobuf demands: strict readers refuse a whole profile for one bad byte, and the
// kernel cuts thread names at 15 bytes, even in the middle of a character.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
