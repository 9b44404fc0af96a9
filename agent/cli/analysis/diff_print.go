package analysis

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/tables"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx/report"
)

// diffPrinter prints a comparison for people.
type diffPrinter struct {
	terminal.Sheet
	*report.Comparison
	most int // lines of a table
}

var unitNames = map[report.Unit]string{
	report.PerSecond:  "CPU time per second of recording: 100 % is one core",
	report.PerCPU:     "shares of all CPU time",
	report.PerRequest: "CPU time per request",
}

// printDiff prints a comparison of two paths, with the label that was asked for and so many lines of a table at most.
func printDiff(to io.Writer, c *report.Comparison, before, after, by string, most int) error {
	p := diffPrinter{Sheet: terminal.Sheet{Writer: to}, Comparison: c, most: most}
	p.side("old", before, c.Old)
	p.side("new", after, c.New)
	p.Printf("%s; old, new, difference, ratio with its 95 %% interval\n%s compared\n", unitNames[c.Unit],
		comparedRows(c.Compared))
	if c.Whole != nil {
		whole := *c.Whole
		if whole.Name = "all"; !whole.Certain {
			whole.Name += ": no more than chance explains"
		}
		p.Printf("\n")
		p.row(whole, "", "")
	}
	p.table("what it did", "", c.Classes)
	p.table("route", "(no route)", c.Routes)
	if by != "" {
		p.table(by, "(no "+by+")", c.By)
	}
	p.table("function: self, with what V8, Node and the kernel did for it", "", c.Functions)
	return p.Err
}

func (p *diffPrinter) side(which, path string, t report.Total) {
	gaps := ""
	if t.Gaps >= 0.1 {
		gaps = fmt.Sprintf(", %v between snapshots not counted", duration(t.Gaps).Round(100*time.Millisecond))
	}
	p.Printf("%s: %s, %s%s\n", which, terminal.Printable(path), tables.Contents(duration(t.CPU), t.Samples,
		duration(t.Seconds), t.Start, t.Lost), gaps)
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * 1e9) }

// comparedRows says how many rows are compared, and which.
func comparedRows(n int) string {
	return fmt.Sprintf("%s of %d samples or more", rowsText(n), report.FewestSamples)
}

func rowsText(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// table prints the rows that chance does not explain, and how many others there are.
func (p *diffPrinter) table(by, none string, all []report.Change) {
	certain := report.Certain(all)
	p.Printf("\nCPU by %s\n", by)
	for _, c := range certain[:min(len(certain), p.most)] {
		p.row(c, none, terminal.ShortFile(c.File))
	}
	if n := len(certain) - p.most; n > 0 {
		p.Printf("  … and %d more\n", n)
	}
	few := 0
	for _, c := range all {
		if c.OldSamples+c.NewSamples < report.FewestSamples {
			few++
		}
	}
	if n := len(all) - len(certain) - few; n > 0 {
		p.Printf("  %s changed by no more than chance explains\n", rowsText(n))
	}
	if few > 0 {
		p.Printf("  %s of fewer than %d samples, too few to compare\n", rowsText(few), report.FewestSamples)
	}
}

func (p *diffPrinter) row(c report.Change, none, where string) {
	text := fmt.Sprintf("  %9s  %9s  %10s  %-21s  %s  %s", p.amount(c.Old), p.amount(c.New), p.difference(c.New-c.Old),
		ratioText(c), terminal.Fit(rowName(c, none), 34), terminal.Printable(where))
	p.Printf("%s\n", strings.TrimRight(text, " "))
}

func rowName(c report.Change, none string) string { return terminal.Printable(cmp.Or(c.Name, none)) }

func ratioText(c report.Change) string {
	switch {
	case c.Ratio == nil:
		return "only new"
	case c.NewSamples == 0:
		return "only old"
	}
	high := "…"
	if c.High != nil {
		high = factor(*c.High)
	}
	return fmt.Sprintf("× %s (%s to %s)", factor(*c.Ratio), factor(c.Low), high)
}

func factor(f float64) string {
	if f < 9.995 {
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// amount prints CPU time in the unit of the comparison.
func (p *diffPrinter) amount(x float64) string {
	if p.Unit == report.PerRequest {
		return terminal.ThreeDigits(time.Duration(x * 1e9)).String()
	}
	if 100*x < 0.995 {
		return fmt.Sprintf("%.2f %%", 100*x)
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}

func (p *diffPrinter) difference(x float64) string {
	switch text := p.amount(math.Abs(x)); {
	case text == p.amount(0):
		return text
	case x < 0:
		return "−" + text
	default:
		return "+" + text
	}
}
