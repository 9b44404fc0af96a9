package watch

import (
	"github.com/hotspan/hotspan/agent/internal/screen"
	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/pprofx/report/window"
)

// Press implements screen.Model.
func (v *topView) Press(k screen.Key) (end bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case k == screen.Interrupt:
		return true
	case v.helping:
		v.helping = false
		return false
	case v.typing:
		v.typed(k)
		return false
	case k == 'q' || k == 'Q':
		return true
	}
	if do := topKeys[k]; do != nil {
		do(v)
	}
	return false
}

// typed follows a key while the text is typed.
func (v *topView) typed(k screen.Key) {
	text := []rune(v.query.Text)
	switch {
	case k == screen.Enter:
		v.typing = false
	case k == screen.Escape:
		v.typing, v.query.Text = false, ""
	case k == screen.Backspace && len(text) > 0:
		v.query.Text = string(text[:len(text)-1])
	case k >= ' ':
		v.query.Text += string(rune(k))
	}
}

// topKeys are what keys do. They are those of py-spy, htop and Python's live mode where these have them.
var topKeys = map[screen.Key]func(*topView){
	'g': func(v *topView) { v.show((v.query.Table + 1) % report.Tables) },
	't': func(v *topView) { v.show(report.Threads) },
	'l': func(v *topView) { v.query.ByLine = !v.query.ByLine },
	's': func(v *topView) { v.sort((v.query.Sort + 1) % window.Columns) },
	'S': func(v *topView) { v.query.Reverse = !v.query.Reverse },
	'1': func(v *topView) { v.sort(window.Own) },
	'2': func(v *topView) { v.sort(window.Total) },
	'3': func(v *topView) { v.sort(window.Name) },
	'/': func(v *topView) { v.typing, v.query.Text = true, "" },
	'c': func(v *topView) { v.query.Text = "" },
	'p': func(v *topView) { v.pause() },
	'r': func(v *topView) { v.reset() },
	'x': func(v *topView) { v.query.Trend = !v.query.Trend },
	'+': func(v *topView) { v.changeRate(v.rate * 2) },
	'-': func(v *topView) { v.changeRate(v.rate / 2) },
	'h': func(v *topView) { v.helping = true },
	'?': func(v *topView) { v.helping = true },

	screen.Enter:     (*topView).openSelected,
	screen.Escape:    (*topView).back,
	screen.Backspace: (*topView).back,
	screen.Up:        func(v *topView) { v.selected-- },
	screen.Down:      func(v *topView) { v.selected++ },
	'k':              func(v *topView) { v.selected-- },
	'j':              func(v *topView) { v.selected++ },
	screen.PageUp:    func(v *topView) { v.selected -= v.page },
	screen.PageDown:  func(v *topView) { v.selected += v.page },
	screen.Home:      func(v *topView) { v.selected = 0 },
}

// show goes over to another table.
func (v *topView) show(t report.Table) {
	v.query.Table = t
	v.top()
}

func (v *topView) sort(by window.Column) { v.query.Sort, v.query.Reverse = by, false }

// pause holds what is shown, or goes on with what there is by now.
func (v *topView) pause() {
	if v.paused != nil {
		v.paused = nil
		return
	}
	v.paused, v.held = v.window.Clone(), v.status
}

func (v *topView) reset() {
	v.window.Clear()
	v.paused = nil
	v.top()
}

// back leaves the part that was opened last, and shows the table that it was a row of.
func (v *topView) back() {
	if last := len(v.query.Of) - 1; last >= 0 {
		v.query.Table = v.query.Of[last].Table
		v.query.Of = v.query.Of[:last]
	}
	v.top()
}

// changeRate has the agent take more or fewer samples.
func (v *topView) changeRate(rate int) {
	if v.setRate == nil || rate < 1 {
		v.message = "the rate cannot be changed"
		return
	}
	v.setRate(rate)
}
