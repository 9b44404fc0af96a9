// Package window shows what used the CPU in the last seconds, as a table that is made anew as time goes on.
//
// The numbers are those of package report for the snapshots in the window.
package window

import (
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// Window keeps the snapshots of the last seconds. It is not safe for concurrent use. Use New to make one.
type Window struct {
	length    int64 // in nanoseconds
	snapshots []*pprofx.Snapshot
}

// New returns an empty Window of a length.
func New(length time.Duration) *Window { return &Window{length: int64(length)} }

// Add adds a snapshot that follows those before it, and drops those that begin before the window does. The newest one
// stays whatever its length.
func (w *Window) Add(s *pprofx.Snapshot) {
	w.snapshots = append(w.snapshots, s)
	first := 0
	for first+1 < len(w.snapshots) && w.snapshots[first].Start < s.End-w.length {
		first++
	}
	w.snapshots = append([]*pprofx.Snapshot(nil), w.snapshots[first:]...) // what is dropped is freed
}

// Clear drops all snapshots.
func (w *Window) Clear() { w.snapshots = nil }

// Clone returns a Window that has the snapshots of now.
func (w *Window) Clone() *Window {
	return &Window{length: w.length, snapshots: append([]*pprofx.Snapshot(nil), w.snapshots...)}
}

// Report adds up the samples that belong to all of these parts. The losses are those of all samples. With byLine, the
// lines of a function are told apart.
func (w *Window) Report(of []report.Part, byLine bool) *report.Report {
	return w.report(of, byLine, func(*pprofx.Snapshot) bool { return true })
}

func (w *Window) report(of []report.Part, byLine bool, in func(*pprofx.Snapshot) bool) *report.Report {
	b := report.NewBuilder("")
	if byLine {
		b.ByLine()
	}
	for _, s := range w.snapshots {
		if !in(s) {
			continue
		}
		for _, p := range of {
			s = p.Of(s)
		}
		b.Add(s)
	}
	return b.Report()
}
