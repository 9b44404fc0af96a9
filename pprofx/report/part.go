package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// Table is one of the tables of a Report.
type Table uint8

// The tables.
const (
	Functions Table = iota
	Routes
	Traces
	Threads
	Tables // how many there are
)

var tableNames = [Tables]string{"function", "route", "trace", "thread"}

// String returns what the rows of the table are, such as "route".
func (t Table) String() string { return tableNames[t] }

// UnmarshalText reads what String returns. An unknown name is an error.
func (t *Table) UnmarshalText(text []byte) error {
	i := slices.Index(tableNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("no table %q: %s", text, strings.Join(tableNames[:], ", "))
	}
	*t = Table(i)
	return nil
}

// Part is the samples of a row of a table: those that Group.Samples or Function.Total counts.
type Part struct {
	Table      Table
	Name, File string
	Line       int // of a function whose lines are told apart; 0: any
}

// Of returns the samples of s that belong to the part, with the interval and the losses of s.
func (p Part) Of(s *pprofx.Snapshot) *pprofx.Snapshot {
	switch p.Table {
	case Functions:
		in := make([]bool, len(s.Stacks))
		for i, stack := range s.Stacks {
			in[i] = p.in(s, stack)
		}
		return s.Where(func(r *pprofx.Row) bool { return in[r.Stack] })
	case Threads:
		return s.Where(func(r *pprofx.Row) bool { return s.Threads[r.Thread] == p.Name })
	}
	key := map[Table]string{Routes: routeLabel, Traces: traceLabel}[p.Table]
	in := make([]bool, len(s.LabelSets))
	for i, labels := range s.LabelSets {
		in[i] = value(labels, key) == p.Name
	}
	return s.Where(func(r *pprofx.Row) bool { return in[r.Labels] })
}

func (p Part) in(s *pprofx.Snapshot, stack []int32) bool {
	if len(stack) == 0 {
		return p.Name == noStack.Function
	}
	for _, i := range stack {
		f := s.Frames[i]
		if at := placeOf(f); at.name == p.Name && at.file == p.File && (p.Line == 0 || f.Line == p.Line) {
			return true
		}
	}
	return false
}
