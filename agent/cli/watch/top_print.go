package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/pprofx/report/window"
)

// tableFlags say which tables top prints.
type tableFlags struct {
	By       report.Table  `default:"function" help:"${topby} (${default})." placeholder:"TABLE"`
	Interval time.Duration `short:"i" default:"1s" help:"${interval} (${default})." placeholder:"TIME"`
	Count    int           `short:"n" help:"Print so many tables, and end; also on a terminal." placeholder:"COUNT"`
	Lines    int           `default:"12" help:"Most lines of a table that is printed (${default})." placeholder:"N"`
	JSON     bool          `name:"json" help:"Print all of each table as JSON, one object a line."`
}

// topPrinter prints a table of each interval. It is a watcher.
type topPrinter struct {
	tableFlags
	older   time.Duration // only samples of such requests are added; 0: all are
	to      io.Writer
	columns int
	stop    func() // ends the sampling

	mu      sync.Mutex // guards all below
	window  *window.Window
	start   int64 // of the interval, Unix time in nanoseconds; 0: it has no snapshot
	printed int
	counts  *completeness
	err     error
}

func (p *topPrinter) soFar(so agent.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts = completenessOf(so)
}

func (p *topPrinter) missed(samples int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts == nil {
		p.counts = &completeness{}
	}
	p.counts.Missed += samples
}

// add adds a snapshot to the interval, and prints the table if that ends the interval.
func (p *topPrinter) add(s *pprofx.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.start == 0 {
		p.window, p.start = window.New(1<<62), s.Start
	}
	p.window.Add(s)
	if s.End-p.start >= int64(p.Interval) {
		p.print()
	}
}

// print prints the table of the interval, and begins another one.
func (p *topPrinter) print() {
	if p.Count > 0 && p.printed == p.Count {
		return
	}
	query := window.Query{Table: p.By}
	t := topTable{p.window.Table(query), query, p.columns}
	p.start = 0
	if p.JSON {
		p.err = errors.Join(p.err, p.line(&t))
	} else {
		_, err := io.WriteString(p.to, p.text(&t)+"\n")
		p.err = errors.Join(p.err, err)
	}
	p.printed++
	if p.printed == p.Count || p.err != nil {
		p.stop()
	}
}

// line prints what hotspan report --json would of the interval, which requests are in it, and how complete all samples
// are so far.
func (p *topPrinter) line(t *topTable) error {
	out := json.NewEncoder(p.to)
	out.SetEscapeHTML(false)
	return out.Encode(struct {
		*report.Report
		Older time.Duration `json:"older,omitempty"` // nanoseconds
		SoFar *completeness `json:"soFar,omitempty"`
	}{t.Report, p.older, p.counts})
}

// text is a table with its sums. As in a report, rows without own samples are left out.
func (p *topPrinter) text(t *topTable) string {
	lines := t.sum()
	if p.older > 0 {
		lines = slices.Insert(lines, 0, recording.OlderText(p.older))
	}
	if p.counts != nil {
		lines = append(lines, p.counts.String())
	}
	lines = append(lines, t.heading())
	own := slices.DeleteFunc(t.Rows, func(r window.Row) bool { return r.Own == 0 })
	lines = append(lines, t.rows(own[:min(len(own), p.Lines)])...)
	if left := len(own) - p.Lines; left > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more", left))
	}
	return strings.Join(lines, "\n") + "\n"
}

// end prints the samples of the interval that has not ended, if there are any.
func (p *topPrinter) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.start != 0 && p.err == nil && p.window.Report(nil, false).Samples > 0 {
		p.print()
	}
	return p.err
}
