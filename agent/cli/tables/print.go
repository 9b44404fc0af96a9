// Package tables prints reports for people: what recorded samples were spent on, by route, function, trace, thread and
// stall of an event loop.
package tables

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// Printer prints a report for people.
type Printer struct {
	io.Writer
	*report.Report
	Most int // lines of a table
}

// Print prints a report, with a table by a label if by is not empty, and so many lines of a table at most.
func Print(to io.Writer, r *report.Report, by string, most int) {
	p := Printer{Writer: to, Report: r, Most: most}
	fmt.Fprintln(to, p.contents())
	if r.Samples == 0 {
		return
	}
	if classes := p.ClassShares(r.Classes, r.Samples, true); len(classes) > 0 {
		fmt.Fprintln(to, strings.Join(classes, ", "))
	}
	p.printRoutes(most)
	if by != "" {
		p.PrintGroups(by, "(no "+by+")", r.By, most)
	}
	p.PrintFunctions()
	printStalls(p, r, by, (most+1)/2)
	if len(r.Traces) > 0 {
		p.PrintGroups(fmt.Sprintf("trace, of %d", len(r.Traces)), "", r.Traces, (most+1)/2)
	}
	p.printProcesses(most)
	p.PrintGroups("thread", "(no name)", r.Threads, most)
}

// printRoutes prints the table of the routes, and how much is in requests without one, if that is worth a word.
func (p Printer) printRoutes(most int) {
	p.PrintGroups("route", "(no route)", p.Routes, most)
	if 20*p.PathOnly >= p.Samples && p.PathOnly > 0 {
		fmt.Fprintf(p, "  %s of (no route) in requests whose route is not known: "+
			"report --by url.path tells them apart\n", p.Amount(p.PathOnly))
	}
}

// printProcesses prints the table of the processes, if there are several.
func (p Printer) printProcesses(most int) {
	if len(p.Processes) > 1 {
		p.PrintGroups("process", "", p.Processes, most)
	}
}

// what is what the report counts.
func (p Printer) what() string {
	return map[pprofx.Measure]string{
		pprofx.CPUTime: "CPU", pprofx.HitCount: "Hits", pprofx.OffCPU: "Time off the CPU",
		pprofx.HitBytes: "Bytes", pprofx.HitValue: "Value", pprofx.WallTime: "Time on and off the CPU",
	}[p.Measure]
}

func (p Printer) contents() string {
	switch p.Measure {
	case pprofx.HitCount:
		return fmt.Sprintf("%d hits of probes%s", p.Samples, LostText(p.Lost))
	case pprofx.HitBytes, pprofx.HitValue:
		return fmt.Sprintf("%s in %d hits of probes%s", p.Amount(p.Samples), p.Weighed, LostText(p.Lost))
	case pprofx.WallTime:
		return fmt.Sprintf("%s on and off the CPU in %d samples%s", p.Amount(p.Samples), p.Weighed, LostText(p.Lost))
	case pprofx.OffCPU:
		return fmt.Sprintf("%s off the CPU in %d waits%s", p.Amount(p.Samples), p.Weighed, LostText(p.Lost))
	}
	taken := cmp.Or(p.Weighed, p.Samples) // at several rates, these are not one
	text := Contents(time.Duration(p.Samples*p.Period), taken, time.Duration(p.End-p.Start), p.Start, p.Lost)
	if gaps := time.Duration(p.Gaps * 1e9).Round(100 * time.Millisecond); gaps > 0 {
		text += fmt.Sprintf(", no snapshot of %v of that time", gaps)
	}
	return text
}

// Contents says what there is of a recording, which begins at a Unix time in nanoseconds.
func Contents(cpu time.Duration, samples int64, length time.Duration, start int64, lost map[string]int64) string {
	if start == 0 { // a profile of another tool need not say it
		return fmt.Sprintf("%s of CPU in %d samples, at an unknown time%s", CPUTime(cpu), samples, LostText(lost))
	}
	return fmt.Sprintf("%s of CPU in %d samples, of %v from %s UTC%s", CPUTime(cpu), samples,
		length.Round(100*time.Millisecond), time.Unix(0, start).UTC().Format("2006-01-02 15:04:05"), LostText(lost))
}

// PrintSummary prints what Print does, but for traces and threads, and for routes if there are none: then the table by
// a label takes their place, if by is not empty and samples have it.
func PrintSummary(to io.Writer, r *report.Report, by string, most int) {
	p := Printer{Writer: to, Report: r, Most: most}
	some := func(all []report.Group) bool { return len(all) > 1 || len(all) == 1 && all[0].Name != "" }
	switch {
	case some(r.Routes):
		p.printRoutes(most)
	case some(r.By):
		p.PrintGroups(by, "(no "+by+")", r.By, most)
	}
	p.PrintFunctions()
	p.printProcesses(most)
}

// LostText says how many samples are lost, and why, to follow after other words.
func LostText(lost map[string]int64) string {
	if text := terminal.Counts(lost); text != "" {
		return ", lost" + text
	}
	return ", none lost"
}

// PrintGroups prints a table of what samples have in common.
func (p Printer) PrintGroups(by, none string, all []report.Group, most int) {
	fmt.Fprintf(p, "\n%s by %s\n", p.what(), by)
	for _, g := range all[:min(len(all), most)] {
		more := append([]string{terminal.Printable(g.Detail)}, p.ClassShares(g.Classes, g.Samples, false)...)
		p.line(g.Samples, fmt.Sprintf("%9s", p.Amount(g.Samples)), terminal.Printable(cmp.Or(g.Name, none)), more)
	}
	terminal.PrintRest(p, len(all)-most)
}

// PrintFunctions prints the functions with most own samples.
func (p Printer) PrintFunctions() {
	all := slices.Clone(p.Functions)
	all = slices.DeleteFunc(all, func(f report.Function) bool { return f.Own == 0 })
	fmt.Fprintf(p, "\n%s by function: self, with what V8, Node and the kernel did for it; "+
		"total, with callees; hottest line\n", p.what())
	for _, f := range all[:min(len(all), p.Most)] {
		more := append([]string{terminal.Printable(place(f.File, f.Line))}, p.ClassShares(f.Classes, f.Own, false)...)
		p.line(f.Own, fmt.Sprintf("%9s  %9s", p.Amount(f.Own), p.Amount(f.Total)), terminal.Printable(f.Name),
			append(more, From(f.From, f.Own)))
	}
	terminal.PrintRest(p, len(all)-p.Most)
}

// From says which call of the application most of a function's own samples are in, if so many are in one.
func From(call *report.Place, own int64) string {
	if call == nil || 4*call.Samples < own || own == 0 {
		return ""
	}
	text := "from " + terminal.Printable(call.Name+" "+place(call.File, call.Line))
	if share := 100 * call.Samples / own; share < 95 {
		text = fmt.Sprintf("%d %% %s", share, text)
	}
	return text
}

// place is where a function is, or a line of it.
func place(file string, line int) string {
	text := terminal.ShortFile(file)
	if line > 0 {
		text += fmt.Sprintf(":%d", line)
	}
	return text
}

func (p Printer) line(samples int64, time, name string, more []string) {
	more = slices.DeleteFunc(more, func(s string) bool { return s == "" })
	share := terminal.Percent(samples, p.Samples)
	text := fmt.Sprintf("  %s  %6s  %s  %s", time, share, terminal.Fit(name, 34), strings.Join(more, ", "))
	fmt.Fprintln(p, strings.TrimRight(text, " "))
}

// ClassShares lists what the CPU did: of all samples each class, else those worth a word. What waits does nothing, and
// a probe is always at the same.
func (p Printer) ClassShares(of report.Counts, samples int64, all bool) (parts []string) {
	if p.Measure != pprofx.CPUTime && p.Measure != pprofx.WallTime {
		return nil
	}
	least := 0.05
	if all {
		least = 0.005
	}
	for i, n := range of {
		class := report.Class(i)
		if n > 0 && float64(n) >= least*float64(samples) && (class != report.JS || all) {
			parts = append(parts, fmt.Sprintf("%v %.0f %%", class, 100*float64(n)/float64(samples)))
		}
	}
	return parts
}

// Amount is the time that samples stand for; of hits, how many there are, or what they count.
func (p Printer) Amount(samples int64) string {
	switch p.Measure {
	case pprofx.HitCount, pprofx.HitValue:
		return fmt.Sprint(samples)
	case pprofx.HitBytes:
		return terminal.ByteText(samples)
	}
	return CPUTime(time.Duration(samples * p.Period))
}

// CPUTime is a time on the CPU as text.
func CPUTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
