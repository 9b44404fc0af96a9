package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Prompt asks for lines on a terminal. It has a history, and completes words.
type Prompt struct {
	Screen *os.File
	*term.Terminal
}

// NewPrompt returns one that reads standard input and begins each line with a text. complete is called for each key:
// what it returns is the line then, and where the cursor is in it, if it is to change.
func NewPrompt(
	screen *os.File, begin string, complete func(line string, at int, key rune) (string, int, bool),
) *Prompt {
	p := &Prompt{screen, term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, screen}, begin)}
	p.AutoCompleteCallback = complete
	return p
}

// Ask reads a line. The terminal is as it was afterwards, so that Ctrl-C ends what is done then.
func (p *Prompt) Ask() (string, error) {
	before, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(os.Stdin.Fd()), before)
	if columns, rows, err := term.GetSize(int(p.Screen.Fd())); err == nil {
		_ = p.SetSize(columns, rows)
	}
	return p.ReadLine()
}
