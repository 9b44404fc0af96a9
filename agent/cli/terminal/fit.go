package terminal

import (
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// PrintRest says how many lines of a table are not printed.
func PrintRest(to io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(to, "  … and %d more\n", n)
	}
}

// Fit pads or cuts a text to so many columns.
func Fit(text string, width int) string {
	text = displaywidth.TruncateString(text, width, "…")
	return text + strings.Repeat(" ", max(0, width-displaywidth.String(text)))
}

// FitEnd pads a text to so many columns, or leaves its end.
func FitEnd(text string, width int) string {
	if displaywidth.String(text) <= width {
		return Fit(text, width)
	}
	end, used := len(text), 1
	for end > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if used += displaywidth.Rune(r); used > width {
			break
		}
		end -= size
	}
	return Fit("…"+text[end:], width)
}

// longestFile bounds what is printed of a file's name, in bytes: anybody may give a file any name.
const longestFile = 120

// ShortFile drops what all files of a kind have in common, and the beginning of a name that is very long.
func ShortFile(name string) string {
	name = shortFile(name)
	if len(name) <= longestFile {
		return name
	}
	return "…" + strings.ToValidUTF8(name[len(name)-longestFile:], "")
}

func shortFile(name string) string {
	if _, short, ok := strings.Cut(name, "/node_modules/"); ok {
		return short
	}
	if strings.HasPrefix(name, "node:") {
		return name
	}
	name = strings.TrimPrefix(name, "file://")
	if dir, file := path.Split(name); dir != "" {
		return path.Join(path.Base(dir), file)
	}
	return name
}
