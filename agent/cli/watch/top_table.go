package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hotspan/hotspan/agent/cli/tables"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/pprofx/report/window"
)

// topTable is the text of a table of top, for a number of columns.
type topTable struct {
	*window.Table
	query   window.Query
	columns int
}

// From so many columns on a table has the column.
const (
	columnsOfTrend   = 56
	columnsOfTimes   = 84
	columnsOfClasses = 120 // and, before these, where the call of the application is that a function is from
)

// sum says what there is in the window.
func (t *topTable) sum() []string {
	p := tables.Printer{Report: t.Report}
	cpu, length := time.Duration(t.Samples*t.Period), time.Duration(t.End-t.Start)
	return []string{
		fmt.Sprintf("%s of CPU in %d samples of %v%s", tables.CPUTime(cpu), t.Samples,
			length.Round(100*time.Millisecond), tables.LostText(t.Lost)),
		strings.Join(p.ClassShares(t.Classes, t.Samples, true), ", "),
	}
}

// heading names the columns. That by which rows are sorted has capitals.
func (t *topTable) heading() string {
	name := func(c window.Column, text string) string {
		if c == t.query.Sort {
			return strings.ToUpper(text)
		}
		return text
	}
	trend := ""
	if t.query.Trend {
		trend = "trend"
	}
	return t.line(name(window.Own, "self"), name(window.Own, "%self"), name(window.Total, "total"),
		name(window.Total, "%tot"), trend, name(window.Name, t.query.Table.String()), t.detailName(), "")
}

func (t *topTable) detailName() string {
	return map[report.Table]string{report.Functions: "line", report.Traces: "route"}[t.query.Table]
}

// rows returns the text of each row.
func (t *topTable) rows(all []window.Row) (lines []string) {
	p := tables.Printer{Report: t.Report}
	for i := range all {
		r := &all[i]
		detail := r.Detail
		if r.File != "" || r.Line > 0 {
			detail = terminal.ShortFile(r.File)
			if r.Line > 0 {
				detail += fmt.Sprintf(":%d", r.Line)
			}
		}
		name := cmp.Or(r.Name, t.none())
		more := p.ClassShares(r.Classes, r.Own, false)
		if from := tables.From(r.From, r.Own); from != "" {
			more = slices.Insert(more, 0, from)
		}
		lines = append(lines, t.line(p.Amount(r.Own), terminal.Percent(r.Own, t.Samples), p.Amount(r.Total),
			terminal.Percent(r.Total, t.Samples), sparkline(r.Trend), terminal.Printable(name),
			terminal.Printable(detail), strings.Join(more, ", ")))
	}
	return lines
}

// none is the name of what has none.
func (t *topTable) none() string {
	return map[report.Table]string{report.Routes: "(no route)", report.Threads: "(no name)"}[t.query.Table]
}

// line puts the columns for which there is room side by side. Only functions have a total of their own.
func (t *topTable) line(own, ownShare, total, totalShare, trend, name, detail, classes string) string {
	var b strings.Builder
	both, times := t.query.Table == report.Functions, t.columns >= columnsOfTimes
	right := func(text string, width int, shown bool) {
		if shown {
			fmt.Fprintf(&b, "%*s ", width, text)
		}
	}
	right(own, 9, times)
	right(ownShare, 7, true)
	right(total, 9, times && both)
	right(totalShare, 7, both)
	if t.query.Trend && t.columns >= columnsOfTrend {
		b.WriteString(" " + terminal.Fit(trend, window.Slices))
	}
	b.WriteString(" ")
	room := t.columns - utf8.RuneCountInString(b.String())
	if t.columns < columnsOfClasses {
		classes = ""
	} else {
		room -= 2 + min(max(leastOfClasses, t.columns/3), mostOfClasses)
	}
	if t.detailName() == "" {
		b.WriteString(terminal.Fit(name, room))
	} else {
		b.WriteString(terminal.Fit(name, room*3/5-1) + " " + terminal.FitEnd(detail, room-room*3/5))
	}
	b.WriteString("  " + classes)
	return terminal.Shorten(strings.TrimRight(b.String(), " "), t.columns)
}

// The room for what the CPU did, and where a function is from.
const leastOfClasses, mostOfClasses = 32, 56

// sparkline draws numbers by the height of blocks, the greatest as a full one. Where there is nothing, it is blank.
func sparkline(of [window.Slices]int64) string {
	var most int64
	for _, n := range of {
		most = max(most, n)
	}
	blocks := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, n := range of {
		if n == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(blocks[(n*int64(len(blocks))-1)/most])
	}
	return b.String()
}

// wrap breaks a text into lines of so many characters, between words where it can: nothing of it is left out.
func wrap(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns {
			lines, line = append(lines, line), " " // the rest of a text is indented
		}
		if line == "" {
			line = word
		} else {
			line += " " + word
		}
	}
	return append(lines, line)
}
