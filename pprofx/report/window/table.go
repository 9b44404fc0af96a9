package window

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// Column is what a table is sorted by.
type Column uint8

// The columns.
const (
	Own Column = iota
	Total
	Name
	Columns // how many there are
)

var columnNames = [Columns]string{"own", "total", "name"}

// String returns the name of the column.
func (c Column) String() string { return columnNames[c] }

// Query says what a Table shows, and how.
type Query struct {
	Table   report.Table
	Of      []report.Part // the samples that belong to all of these
	ByLine  bool          // the lines of a function are rows of their own
	Sort    Column        // numbers with the greatest first, names from A to Z
	Reverse bool          // the other way round
	Text    string        // rows that have it in their name, file or detail, whatever the case; empty: all
	Trend   bool          // rows have a Trend
}

// Table is a Report, and the rows of one of its tables.
type Table struct {
	*report.Report
	Rows  []Row
	Other int // rows that the text leaves out
}

// Row is a line of a table. Counts are of samples.
type Row struct {
	report.Part
	Detail     string // the route of a trace
	Own, Total int64  // equal, but for functions
	Classes    report.Counts
	From       *report.Place // of a function: see report.Function
	Trend      [Slices]int64 // own samples in each slice of the window, the last one is the newest
}

// Slices is how many there are of a window in a Trend.
const Slices = 8

// Table answers a query. Rows that are equal in what they are sorted by have the order of a Report.
func (w *Window) Table(q Query) *Table {
	t := &Table{Report: w.Report(q.Of, q.ByLine)}
	for _, r := range rowsOf(t.Report, &q) {
		if r.has(q.Text) {
			t.Rows = append(t.Rows, r)
		} else {
			t.Other++
		}
	}
	slices.SortStableFunc(t.Rows, q.compare)
	if q.Trend {
		w.addTrends(t.Rows, &q)
	}
	return t
}

func rowsOf(r *report.Report, q *Query) (rows []Row) {
	if q.Table == report.Functions {
		for i := range r.Functions {
			f := &r.Functions[i]
			rows = append(rows, Row{
				Part: report.Part{Table: q.Table, Name: f.Name, File: f.File, Line: f.Line},
				Own:  f.Own, Total: f.Total, Classes: f.Classes, From: f.From,
			})
		}
		return rows
	}
	groups := map[report.Table][]report.Group{
		report.Routes: r.Routes, report.Traces: r.Traces, report.Threads: r.Threads,
	}[q.Table]
	for i := range groups {
		g := &groups[i]
		rows = append(rows, Row{
			Part: report.Part{Table: q.Table, Name: g.Name}, Detail: g.Detail,
			Own: g.Samples, Total: g.Samples, Classes: g.Classes,
		})
	}
	return rows
}

func (r *Row) has(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{r.Name, r.File, r.Detail}, func(s string) bool {
		return strings.Contains(strings.ToLower(s), text)
	})
}

func (q *Query) compare(a, b Row) int {
	n := 0
	switch q.Sort {
	case Own:
		n = cmp.Compare(b.Own, a.Own)
	case Total:
		n = cmp.Compare(b.Total, a.Total)
	case Name:
		n = cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	}
	if q.Reverse {
		return -n
	}
	return n
}

// addTrends adds up each slice of the window. A snapshot belongs to the slice that has its middle.
func (w *Window) addTrends(rows []Row, q *Query) {
	if len(w.snapshots) == 0 {
		return
	}
	begin := w.snapshots[len(w.snapshots)-1].End - w.length
	at := map[report.Part]*Row{}
	for i := range rows {
		at[q.key(rows[i].Part)] = &rows[i]
	}
	for slice := range Slices {
		r := w.report(q.Of, q.ByLine, func(s *pprofx.Snapshot) bool {
			middle := s.Start + (s.End-s.Start)/2
			return min(max((middle-begin)*Slices/max(w.length, 1), 0), Slices-1) == int64(slice)
		})
		for _, row := range rowsOf(r, q) {
			if to := at[q.key(row.Part)]; to != nil {
				to.Trend[slice] = row.Own
			}
		}
	}
}

// key is the part without the hottest line, which is not of the part.
func (q *Query) key(p report.Part) report.Part {
	if !q.ByLine {
		p.Line = 0
	}
	return p
}

// Samples returns the samples that a row counts as Total: of one line only where lines are told apart.
func (q *Query) Samples(r *Row) report.Part { return q.key(r.Part) }
