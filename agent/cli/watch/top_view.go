package watch

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/screen"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/pprofx/report/window"
)

// topView is what the screen of top shows, and how it follows keys. It is a screen.Model and a watcher.
type topView struct {
	title string

	mu      sync.Mutex // guards all below
	rate    int
	setRate func(int) // nil: the rate cannot be changed
	window  *window.Window
	paused  *window.Window // what is shown while paused; nil: the screen is not paused
	status  string         // of all samples so far
	held    string         // the status when the screen was paused
	notRead int64          // samples that were missed
	bad     bool           // something was lost
	begun   bool           // there was a snapshot
	message string         // of the agent, the last one
	changed chan struct{}

	query    window.Query
	typing   bool // the text is being typed
	helping  bool
	selected int
	first    int // row that is shown first
	page     int // rows that fit
	columns  int // of the screen
	rows     int
	shown    []window.Row
}

func newTopView(title string, by report.Table, length time.Duration) *topView {
	return &topView{
		title: title, window: window.New(length), changed: make(chan struct{}, 1),
		query: window.Query{Table: by, Trend: true}, page: 1,
	}
}

// add adds a snapshot to the window.
func (v *topView) add(s *pprofx.Snapshot) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.window.Add(s)
	v.begun = true
	for _, n := range s.Lost {
		v.bad = v.bad || n > 0
	}
	v.wake()
}

func (v *topView) soFar(p agent.Progress) {
	v.mu.Lock()
	defer v.mu.Unlock()
	c := completenessOf(p)
	v.status, v.bad = c.String(), v.bad || c.Lost > 0
	v.wake()
}

func (v *topView) missed(samples int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.notRead += samples
	v.status, v.bad = (&completeness{Missed: v.notRead}).String(), true
	v.wake()
}

// follow has the keys change the rate of samples by set.
func (v *topView) follow(rate int, set func(int) error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.rate = rate
	v.setRate = func(n int) {
		go func() {
			err := set(n)
			v.mu.Lock()
			defer v.mu.Unlock()
			if err != nil {
				v.message = err.Error()
			} else {
				v.rate, v.message = n, ""
			}
			v.wake()
		}()
	}
}

// Write shows a message of the agent, if it is a warning or an error.
func (v *topView) Write(message []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if bytes.Contains(message, []byte("warn: ")) || bytes.Contains(message, []byte("error: ")) {
		v.message = strings.TrimSpace(string(message))
		v.wake()
	}
	return len(message), nil
}

func (v *topView) wake() {
	select {
	case v.changed <- struct{}{}:
	default:
	}
}

// table returns what is to be shown now.
func (v *topView) table(columns int) *topTable {
	from := v.window
	if v.paused != nil {
		from = v.paused
	}
	return &topTable{from.Table(v.query), v.query, columns}
}

// Lines implements screen.Model.
func (v *topView) Lines(columns, rows int) []screen.Line {
	v.mu.Lock()
	defer v.mu.Unlock()
	if most := terminal.Columns(); most > 0 {
		columns = min(columns, most)
	}
	v.columns, v.rows = columns, rows
	if v.helping {
		return plainLines(topHelp)
	}
	return v.lines(columns, rows)
}

func (v *topView) lines(columns, rows int) []screen.Line {
	t := v.table(columns)
	style := screen.Plain
	if v.bad {
		style = screen.Warning
	}
	status := v.status
	if v.paused != nil {
		status = v.held
	}
	sum := t.sum()
	lines := []screen.Line{{Text: terminal.Shorten(v.head(), columns)}}
	for _, part := range []screen.Line{{Text: sum[0], Style: style}, {Text: status, Style: style}, {Text: sum[1]}} {
		for _, text := range wrap(part.Text, columns) {
			lines = append(lines, screen.Line{Text: text, Style: part.Style})
		}
	}
	lines = append(lines, screen.Line{Text: t.heading(), Style: screen.Heading})
	v.scroll(t.Rows, rows-len(lines)-1)
	visible := t.Rows[v.first:min(v.first+v.page, len(t.Rows))]
	for i, text := range t.rows(visible) {
		style := screen.Plain
		if v.first+i == v.selected {
			style = screen.Selected
		}
		lines = append(lines, screen.Line{Text: text, Style: style})
	}
	for len(lines) < rows-1 {
		lines = append(lines, screen.Line{})
	}
	return append(lines, screen.Line{Text: v.foot(t.Other, columns)})
}

// head is the first line.
func (v *topView) head() string {
	text := v.title
	if v.rate > 0 {
		text = fmt.Sprintf("%s, %d Hz", text, v.rate)
	}
	if v.paused != nil {
		text = "PAUSED  " + text
	}
	for _, p := range v.query.Of {
		text += fmt.Sprintf(" > %v %s", p.Table, terminal.Printable(p.Name))
	}
	return text
}

// foot is the last line.
func (v *topView) foot(other, columns int) string {
	switch {
	case v.typing:
		return "filter: " + terminal.Printable(v.query.Text) + "_"
	case v.query.Text != "":
		return terminal.Shorten(fmt.Sprintf("filter %q leaves out %d rows: c clears it",
			terminal.Printable(v.query.Text), other), columns)
	case v.message != "":
		return terminal.Shorten(terminal.Printable(v.message), columns)
	}
	return "q quit  g by function/route/trace/thread  / filter  ? help"
}

// scroll keeps the selected row within the table, and on the screen.
func (v *topView) scroll(rows []window.Row, page int) {
	v.shown, v.page = rows, max(page, 1)
	v.selected = max(0, min(v.selected, len(rows)-1))
	v.first = max(0, min(v.first, v.selected), v.selected-v.page+1)
}

func plainLines(text []string) (lines []screen.Line) {
	for _, l := range text {
		lines = append(lines, screen.Line{Text: l})
	}
	return lines
}

// openSelected shows what the selected row is made of: the functions of a route, trace or thread, the routes of a
// function.
func (v *topView) openSelected() {
	if v.selected >= len(v.shown) {
		return
	}
	part := v.query.Samples(&v.shown[v.selected])
	v.query.Of = append(slices.Clone(v.query.Of), part)
	if v.query.Table = report.Functions; part.Table == report.Functions {
		v.query.Table = report.Routes
	}
	v.top()
}

// top goes to the first row.
func (v *topView) top() { v.query.Text, v.selected, v.first = "", 0, 0 }

// printLast prints what the screen showed last, if it ever had samples to show.
func (v *topView) printLast(to io.Writer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.rows == 0 || !v.begun {
		return
	}
	lines := v.lines(v.columns, v.rows)
	lines = lines[:len(lines)-1] // the keys
	for len(lines) > 0 && lines[len(lines)-1].Text == "" {
		lines = lines[:len(lines)-1]
	}
	for _, l := range lines {
		fmt.Fprintln(to, l.Text)
	}
}

// heldMessages keeps what the agent says, or the command prints, while the screen is shown. It is safe for concurrent
// use.
type heldMessages struct {
	to   io.Writer
	mu   sync.Mutex
	text []byte
	left int // bytes that are not kept
}

// mostHeld bounds what is kept, in bytes. What is said first stays.
const mostHeld = 64 << 10

// Write implements io.Writer.
func (h *heldMessages) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left > 0 || len(h.text)+len(b) > mostHeld {
		h.left += len(b)
	} else {
		h.text = append(h.text, b...)
	}
	return len(b), nil
}

// print prints all of it.
func (h *heldMessages) print() {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = h.to.Write(h.text)
	if h.left > 0 {
		fmt.Fprintf(h.to, "… and %d bytes more, which were not kept\n", h.left)
	}
	h.text, h.left = nil, 0
}
