package analysis

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx/report"
)

// printAges prints what requests that are seen at some age use more of than the others, with so many lines of a table
// at most.
func printAges(to io.Writer, compared *report.AgeComparison, most int) error {
	p := agesPrinter{Sheet: terminal.Sheet{Writer: to}, AgeComparison: compared, most: most}
	p.print()
	return p.Err
}

// agesPrinter prints a comparison for people.
type agesPrinter struct {
	terminal.Sheet
	*report.AgeComparison
	most int // lines of a table
}

func (p *agesPrinter) print() {
	if p.Samples == 0 {
		p.Printf("No sample says when its request began: that takes a span that OpenTelemetry or dd-trace records\n")
		return
	}
	limit := time.Duration(p.Age)
	p.Printf("Requests seen at %v and older, and what they use more of than others of their route\n", limit)
	p.Printf("%d samples of requests whose start is known, %d others; %s compared\n", p.Samples, p.Unknown,
		comparedRows(p.Compared))
	if len(p.Routes) == 0 {
		p.Printf("\nNo request is seen at that age\n")
	}
	for i := range p.Routes[:min(len(p.Routes), p.most)] {
		p.route(&p.Routes[i])
	}
	p.rest(len(p.Routes))
}

func (p *agesPrinter) route(r *report.RouteAges) {
	p.Printf("\n%s\n", terminal.Printable(cmp.Or(r.Route, "(no route)")))
	p.group(r.Slower, "slower")
	p.group(r.Others, "others")
	if r.Others.Requests == 0 {
		return
	}
	more := slices.Concat(r.Classes, r.Functions, r.Paths)
	if len(report.Certain(more)) == 0 && (r.Whole == nil || !r.Whole.Certain) {
		p.Printf("  no more CPU time than chance explains: slower ones may have waited\n")
	}
	p.table("did", r.Classes)
	p.table("function", r.Functions)
	p.table("calls", r.Paths)
}

func (p *agesPrinter) group(g report.AgeGroup, which string) {
	each := seconds(g.CPU / float64(max(g.Requests, 1)))
	p.Printf("  %s %d: %v of CPU time each, when last seen %v old, %d samples\n", which, g.Requests, each,
		seconds(g.Age), g.Samples)
}

func (p *agesPrinter) rest(rows int) {
	if n := rows - p.most; n > 0 {
		p.Printf("  … and %d more\n", n)
	}
}

func seconds(x float64) time.Duration { return terminal.ThreeDigits(duration(x)) }

// table prints the rows that chance does not explain.
func (p *agesPrinter) table(what string, all []report.Change) {
	certain := report.Certain(all)
	for _, c := range certain[:min(len(certain), p.most)] {
		text := fmt.Sprintf("  %-8s  %9v  %9v  %10s  %-21s  %s", what, seconds(c.Old), seconds(c.New),
			"+"+seconds(c.New-c.Old).String(), moreText(c), fitPath(terminal.Printable(c.Name)))
		if where := terminal.ShortFile(c.File); where != "" {
			text += "  " + terminal.Printable(where)
		}
		p.Printf("%s\n", text)
	}
	p.rest(len(certain))
}

func moreText(c report.Change) string {
	if c.OldSamples == 0 {
		return "only slower"
	}
	return ratioText(c)
}

// fitPath returns the end of a call path, which says most.
func fitPath(path string) string {
	calls := strings.Split(path, report.CallMark)
	if n := len(calls) - mostCalls; n > 0 {
		return "…" + report.CallMark + strings.Join(calls[n:], report.CallMark)
	}
	return path
}

// mostCalls is how many functions of a call path are printed.
const mostCalls = 5
