package main

import (
	"fmt"
	"math"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// row is the quality of a profile of a program on a version of Node.js, or a sum of rows.
type row struct {
	version, program, profiler string

	samples       int
	named         judge.Share // JavaScript frames that have their name
	root          judge.Share // stacks of the main thread that are whole
	right         judge.Share // leaf functions; in mixed, the job that is somewhere in the stack
	wrong         judge.Share // functions that are not the true ones
	edge          judge.Share // samples in intervals that were not compared
	callers       judge.Share // callers that are there
	line, column  judge.Share // of callers
	leafLine      judge.Share
	inlined       judge.Share // chains of inlined calls that are whole
	tier          judge.Share
	wrongLabels   judge.Share
	missingLabels judge.Share
	gcLabels      judge.Share // samples in collections with all labels
	micros        float64     // that a sample took in the kernel

	failed   bool
	notes    []string // what went wrong, what is missing
	examples []string
}

func (row *row) note(format string, args ...any) {
	row.notes = append(row.notes, fmt.Sprintf(format, args...))
}

// add adds another row.
func (row *row) add(o *row) {
	if row.samples+o.samples > 0 {
		all := row.micros*float64(row.samples) + o.micros*float64(o.samples)
		row.micros = all / float64(row.samples+o.samples)
	}
	row.samples += o.samples
	row.failed = row.failed || o.failed
	mine, theirs := row.shares(), o.shares()
	for i := range mine {
		mine[i].Add(*theirs[i])
	}
}

func (row *row) shares() []*judge.Share {
	return []*judge.Share{
		&row.named, &row.root, &row.right, &row.wrong, &row.edge, &row.callers, &row.line, &row.column, &row.leafLine,
		&row.inlined,
		&row.tier, &row.wrongLabels, &row.missingLabels, &row.gcLabels,
	}
}

// kept formats a share that should be whole, rounded down: 100 stands for all.
func kept(s judge.Share) string {
	if s.Whole == 0 {
		return "-"
	}
	return percent(math.Floor(s.Percent()*100) / 100)
}

// amiss formats a share that should be empty, rounded up: 0 stands for none.
func amiss(s judge.Share) string {
	if s.Whole == 0 {
		return "-"
	}
	return percent(math.Ceil(s.Percent()*100) / 100)
}

func percent(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
