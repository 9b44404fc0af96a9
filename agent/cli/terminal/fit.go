package terminal

import (
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"
)

// PrintRest says how many lines of a table are not printed.
func PrintRest(to io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(to, "  … and %d more\n", n)
	}
}

// Fit pads or cuts a text to so many characters.
func Fit(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if n <= width {
		return text + strings.Repeat(" ", width-n)
	}
	return string([]rune(text)[:width-1]) + "…"
}

// ShortFile drops what all files of a kind have in common.
func ShortFile(name string) string {
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
