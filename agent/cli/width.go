package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Columns of what is drawn where nothing says how wide it may be, and at least.
const (
	usualWidth = 100
	leastWidth = 40
)

// widthOf returns how many columns to use: COLUMNS, else those of the terminal.
func widthOf(to io.Writer) int {
	if n := columnsVariable(); n > 0 {
		return n
	}
	if f := fileOf(to); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, leastWidth)
		}
	}
	return usualWidth
}

// columnsVariable returns what COLUMNS says, and leastWidth at least; 0 if it says nothing.
func columnsVariable() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, leastWidth)
	}
	return 0
}
