package text

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/hotspan/hotspan/pprofx"
)

// frameText returns a frame as one line of text such as "handler /srv/app.js:12": the name, and file and line if known.
func frameText(f *pprofx.Frame) string {
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
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// noSpaces is oneLine with underscores for blanks, for fields that end at a blank.
func noSpaces(s string) string { return strings.ReplaceAll(oneLine(s), " ", "_") }
