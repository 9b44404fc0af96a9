package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3/vt"
)

// pressed is a Model that shows the size of the screen and which keys were pressed.
type pressed struct {
	keys []Key
}

func (p *pressed) Lines(columns, rows int) []Line {
	lines := []Line{{Text: fmt.Sprintf("%d x %d", columns, rows), Style: Heading},
		{Text: "not \x1b[31mred\x07 \u009b2J" + strings.Repeat("-", 200)},
		{Text: fmt.Sprint(p.keys), Style: Warning}}
	for len(lines) < rows+10 {
		lines = append(lines, Line{Text: "more", Style: Selected})
	}
	return lines
}

func (p *pressed) Press(k Key) bool {
	p.keys = append(p.keys, k)
	return k == 'q'
}

// text is a row of a terminal.
func text(term vt.MockTerm, y vt.Row) string {
	var b strings.Builder
	size := term.Backend().GetSize()
	for x := range size.X {
		b.WriteString(term.GetCell(vt.Coord{X: x, Y: y}).C)
	}
	return strings.TrimRight(b.String(), " \x00")
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("not in 5 s: %s", what)
}

// The cells of a terminal, and the keys that come from it.
func TestShow(t *testing.T) {
	term := vt.NewMockTerm(vt.MockOptSize{X: 60, Y: 12})
	m := &pressed{}
	done := make(chan error, 1)
	go func() { done <- Show(context.Background(), term, m, nil) }()
	await(t, "the size", func() bool { return text(term, 0) == "60 x 12" })
	if got := text(term, 1); !strings.HasPrefix(got, "not [31mred 2J---") || len(got) > 60 {
		t.Errorf("a line of control characters: %q", got)
	}
	if got := text(term, 11); got != "more" {
		t.Errorf("the last line is %q", got)
	}
	if c := term.GetCell(vt.Coord{X: 30, Y: 0}); c.S.Attr()&vt.Reverse == 0 {
		t.Errorf("the heading is not reversed: %v", c.S)
	}
	term.SetSize(vt.Coord{X: 160, Y: 8})
	await(t, "the other size", func() bool { return text(term, 0) == "160 x 8" })
	for _, k := range []vt.Key{vt.KeyEnter, vt.KeyUp, vt.KeyDown, vt.KeyEsc, vt.KeyG} {
		term.KeyTap(k)
	}
	want := []Key{Enter, Up, Down, Escape, 'g'}
	await(t, "keys", func() bool { return text(term, 2) == fmt.Sprint(want) })
	term.KeyTap(vt.KeyQ)
	if err := <-done; err != nil || !slices.Equal(m.keys, append(want, 'q')) {
		t.Errorf("%v, %v", err, m.keys)
	}
}

// The show ends with its context, and shows what has changed.
func TestShowEnds(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	changed := make(chan struct{}, 1)
	term := vt.NewMockTerm(vt.MockOptSize{X: 40, Y: 5})
	m := &pressed{}
	done := make(chan error, 1)
	go func() { done <- Show(ctx, term, m, changed) }()
	await(t, "the size", func() bool { return text(term, 0) == "40 x 5" })
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
