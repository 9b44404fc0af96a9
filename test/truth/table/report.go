package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// column is a column of the tables. bound is the least that a program should reach on a release, or the most if few is
// true. Where one does not, it is listed.
type column struct {
	name  string
	share func(*row) judge.Share
	few   bool
	bound float64 // in percent
}

var columns = []column{
	{"JS frames named", func(r *row) judge.Share { return r.named }, false, 99.9},
	{"to the first frame", func(r *row) judge.Share { return r.root }, false, 99.9},
	{"leaf function right", func(r *row) judge.Share { return r.right }, false, 99},
	{edges, excused, true, 100 * judge.MostEdge},
	{"functions wrong", func(r *row) judge.Share { return r.wrong }, true, 0},
	{"callers right", func(r *row) judge.Share { return r.callers }, false, 99},
	{"callers' lines", func(r *row) judge.Share { return r.line }, false, 99.9},
	{"callers' columns", func(r *row) judge.Share { return r.column }, false, 99},
	{"leaf lines", func(r *row) judge.Share { return r.leafLine }, false, 99.5},
	{"inlined kept", func(r *row) judge.Share { return r.inlined }, false, 100},
	{"tier right", func(r *row) judge.Share { return r.tier }, false, 99},
	{"labels wrong", func(r *row) judge.Share { return r.wrongLabels }, true, 0},
	{"labels missing", func(r *row) judge.Share { return r.missingLabels }, true, 0.5},
	{"labelled in GC", func(r *row) judge.Share { return r.gcLabels }, false, 99},
}

// edges is the column of samples that the truth does not tell. Where they are many, nothing is shown.
const edges = "not compared"

func excused(r *row) judge.Share { return r.edge }

// claims are what README says of each release, all programs together, in percent by column: more than that is right,
// and no more than that is wrong. (TestClaims)
var claims = map[string]float64{"leaf function right": 99.7, "functions wrong": 0, "labels wrong": 0}

// refuted lists what a release's row has against README's claims.
func refuted(r *row) (out []string) {
	if r.profiler != "hotspan" {
		return nil
	}
	if r.failed {
		out = append(out, "not all was measured")
	}
	for _, c := range columns {
		s := c.share(r)
		claim, ok := claims[c.name]
		holds := s.Percent() > claim
		if c.few {
			holds = s.Percent() <= claim
		}
		if s.Whole > 0 && (ok && !holds || c.name == edges && c.below(r)) {
			out = append(out, fmt.Sprintf("%s: %v", c.name, s))
		}
	}
	return out
}

// text returns the cell of a row.
func (c column) text(r *row) string {
	if c.few {
		return amiss(c.share(r))
	}
	return kept(c.share(r))
}

// below reports whether a row is on the wrong side of the bound.
func (c column) below(r *row) bool {
	s := c.share(r)
	switch {
	case s.Whole == 0:
		return false
	case c.name == edges:
		return judge.TooVague(s)
	case c.few:
		return s.Percent() > c.bound
	}
	return s.Percent() < c.bound
}

// report prints a table by version, one by program, what is on the wrong side of a bound, and where README's claims do
// not hold, which it also returns. All shares are in percent.
func report(w io.Writer, rows []*row) (wrong bool) {
	releases := sum(rows, func(r *row) string { return r.version })
	table(w, "Node", releases)
	fmt.Fprintln(w)
	table(w, "Node, program", sum(rows, func(r *row) string { return r.version + " " + r.program }))
	for _, r := range rows {
		found := findings(r)
		if len(found)+len(r.notes) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s %s, %s:\n", r.version, r.program, r.profiler)
		for _, line := range append(found, r.notes...) {
			fmt.Fprintf(w, "- %s\n", strings.ReplaceAll(line, "\n", "\n  "))
		}
	}
	for _, r := range releases {
		for _, line := range refuted(r) {
			wrong = true
			fmt.Fprintf(w, "\n**README does not hold for %s: %s**\n", r.version, line)
		}
	}
	return wrong
}

// sum adds up the rows that have the same name and profiler, in their order.
func sum(rows []*row, name func(*row) string) []*row {
	var out []*row
	at := map[[2]string]*row{}
	for _, r := range rows {
		key := [2]string{name(r), r.profiler}
		if at[key] == nil {
			at[key] = &row{version: key[0], profiler: r.profiler}
			out = append(out, at[key])
		}
		at[key].add(r)
	}
	return out
}

func table(w io.Writer, first string, rows []*row) {
	fmt.Fprintf(w, "| %s | profiler | samples |", first)
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c.name)
	}
	fmt.Fprintf(w, " µs a sample |\n|%s\n", strings.Repeat("---|", len(columns)+4))
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %s | %d |", r.version, r.profiler, r.samples)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", c.text(r))
		}
		fmt.Fprintf(w, " %s |\n", r.cost())
	}
}

func (row *row) cost() string {
	if row.micros == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", row.micros)
}

// findings lists the columns in which hotspan is on the wrong side of a bound, with examples.
func findings(r *row) []string {
	if r.profiler != "hotspan" {
		return nil
	}
	var out []string
	if r.failed {
		out = append(out, "not measured")
	}
	for _, c := range columns {
		if c.below(r) {
			out = append(out, fmt.Sprintf("**%s: %v**", c.name, c.share(r)))
		}
	}
	if len(out) > 0 {
		out = append(out, r.examples...)
	}
	return out
}
