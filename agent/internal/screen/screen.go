// Package screen shows lines of text on a terminal, and passes keys on.
package screen

import (
	"context"
	"os"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"
)

// Style is how a Line looks. Each differs without colours too.
type Style uint8

// The styles.
const (
	Plain Style = iota
	Heading
	Selected
	Warning
)

// Line is a line of the screen.
type Line struct {
	Text  string
	Style Style
}

// Key is a key that was pressed: the character it makes, or one of those below.
type Key rune

// Keys that make no character.
const (
	Enter Key = -1 - iota
	Escape
	Backspace
	Up
	Down
	PageUp
	PageDown
	Home
	Interrupt // Ctrl-C
)

// Model is what a screen shows. One goroutine calls both methods.
type Model interface {
	// Lines returns what fits on a screen of so many columns and rows. What is beyond it is not shown.
	Lines(columns, rows int) []Line
	// Press handles a key, and reports whether it ends the show.
	Press(Key) (end bool)
}

// Open opens the terminal that this process belongs to, whatever its input and output are. The error says that there is
// none.
func Open() (tcell.Tty, error) { return tcell.NewDevTty() }

// Show shows m on a terminal until the context ends, or a key ends it: when it begins, after each key, when the size
// changes, and whenever changed says so. Then the terminal shows what it did before. Control characters are not sent to
// the terminal. Colours are left out if NO_COLOR is set.
func Show(ctx context.Context, on tcell.Tty, m Model, changed <-chan struct{}) error {
	s, err := tcell.NewTerminfoScreenFromTty(on, tcell.OptSanitizeContent(true), tcell.OptNegotiation(false))
	if err != nil {
		return err
	}
	if err := s.Init(); err != nil {
		return err
	}
	defer s.Fini()
	for {
		draw(s, m)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case event := <-s.EventQ():
			switch event := event.(type) {
			case *tcell.EventResize:
				s.Sync()
			case *tcell.EventKey:
				for _, key := range keysOf(event) {
					if m.Press(key) {
						return nil
					}
				}
			}
		}
	}
}

func draw(s tcell.Screen, m Model) {
	columns, rows := s.Size()
	s.Clear()
	for y, line := range m.Lines(columns, rows) {
		if y >= rows {
			break
		}
		style := styleOf(line.Style)
		if line.Style == Heading || line.Style == Selected {
			s.FillArea(0, y, columns, 1, ' ', style)
		}
		s.PutStrStyled(0, y, line.Text, style)
	}
	s.Show()
}

func styleOf(s Style) tcell.Style {
	switch s {
	case Heading:
		return tcell.StyleDefault.Reverse(true)
	case Selected:
		return tcell.StyleDefault.Bold(true).Underline(true)
	case Warning:
		if os.Getenv("NO_COLOR") == "" {
			return tcell.StyleDefault.Bold(true).Foreground(color.Yellow)
		}
		return tcell.StyleDefault.Bold(true)
	}
	return tcell.StyleDefault
}

var special = map[tcell.Key]Key{
	tcell.KeyEnter: Enter, tcell.KeyEscape: Escape, tcell.KeyBackspace: Backspace, tcell.KeyDEL: Backspace,
	tcell.KeyUp: Up, tcell.KeyDown: Down, tcell.KeyPgUp: PageUp, tcell.KeyPgDn: PageDown, tcell.KeyHome: Home,
	tcell.KeyCtrlC: Interrupt,
}

// keysOf returns the keys of an event; none if it means nothing here.
func keysOf(e *tcell.EventKey) (keys []Key) {
	if e.Key() == tcell.KeyRune {
		for _, r := range e.Str() {
			keys = append(keys, Key(r))
		}
		return keys
	}
	if key, ok := special[e.Key()]; ok {
		keys = append(keys, key)
	}
	return keys
}
