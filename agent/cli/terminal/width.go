package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// UsualWidth is how many columns there are where nothing says it. leastWidth are used at least.
const (
	UsualWidth = 100
	leastWidth = 40
)

// WidthOf returns how many columns to use: COLUMNS, else those of the terminal.
func WidthOf(to io.Writer) int {
	if n := Columns(); n > 0 {
		return n
	}
	if f := FileOf(to); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, leastWidth)
		}
	}
	return UsualWidth
}

// Columns returns what COLUMNS says, and leastWidth at least; 0 if it says nothing.
func Columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, leastWidth)
	}
	return 0
}
