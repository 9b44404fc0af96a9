package analysis

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/tables"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx/report"
)

// mostLanes is how many threads are drawn without samples of the trace.
const mostLanes = 16

// printTrace prints a trace for people, with so many lines of a table and columns of a lane at most.
func printTrace(to io.Writer, t *traced, most, width int) error {
	p := &terminal.Sheet{Writer: to}
	p.Printf("trace %s%s\n", terminal.Printable(t.ID), leading(", ", terminal.Printable(t.Route)))
	samples := fmt.Sprintf("%d samples", t.Samples)
	if t.Samples == 1 {
		samples = "1 sample"
	}
	p.Printf("%s = %s of CPU, over %s from %s UTC%s\n", samples, tables.CPUTime(time.Duration(t.CPU*1e9)),
		terminal.ThreeDigits(time.Duration(t.Last-t.First)),
		time.Unix(0, t.First).UTC().Format("2006-01-02 15:04:05.000"), tables.LostText(t.Lost))
	if s := t.Suggested; s != nil {
		p.Printf("%s at %s: record with -F %d for about %d of a trace like this\n", samples, rates(t), s.Rate,
			s.Samples)
	}
	if t.WithoutIDs > 0 {
		p.Printf("%d samples of that time have lost their ids: some may belong to it\n", t.WithoutIDs)
	}
	printLanes(p, t, width)
	for _, r := range t.Reports {
		if len(t.Reports) > 1 {
			p.Printf("\nat %.0f Hz, %d samples\n", rateOf(r.Period), r.Samples)
		}
		if p.Err == nil {
			printParts(to, r, most)
		}
	}
	return p.Err
}

// printParts prints the tables of the samples of a trace.
func printParts(to io.Writer, r *report.Report, most int) {
	p := tables.Printer{Writer: to, Report: r, Most: most}
	fmt.Fprintf(to, "\n%s\n", strings.Join(p.ClassShares(r.Classes, r.Samples, true), ", "))
	p.PrintGroups("span", "(no span)", r.By, most)
	if len(r.Routes) > 1 {
		p.PrintGroups("route", "(no route)", r.Routes, most)
	}
	p.PrintFunctions()
}

func leading(with, text string) string {
	if text == "" {
		return ""
	}
	return with + text
}

// rates lists the rates of the samples.
func rates(t *traced) string {
	var all []string
	for _, r := range t.Reports {
		all = append(all, fmt.Sprintf("%.0f Hz", rateOf(r.Period)))
	}
	return strings.Join(all, " and ")
}

// printLanes draws the threads over time, those of a process below its name.
func printLanes(w *terminal.Sheet, t *traced, width int) {
	const before = 24 // columns of the name of a thread, and of what parts it from its lane
	columns := width - before - len(" 9999")
	start := time.Unix(0, t.from).UTC().Format("15:04:05.000")
	w.Printf("\n%*s%s%*s\n", before, "", start, max(1, columns-len(start)), "+"+
		terminal.ThreeDigits(time.Duration(t.to-t.from)).String())
	var of report.Lane
	left := 0
	for i, lane := range t.Lanes {
		if lane.Samples == 0 && !lane.Main && i >= mostLanes {
			left++
			continue
		}
		if i == 0 || of.Source != lane.Source || of.PID != lane.PID || of.Service != lane.Service {
			service := terminal.Printable(cmp.Or(lane.Service, "(no service)"))
			w.Printf("%s\n", terminal.Shorten(fmt.Sprintf("%s, process %d", service, lane.PID), width))
		}
		of = lane
		name := terminal.Printable(cmp.Or(lane.Thread, "thread"))
		if lane.Main {
			name += " (main)"
		}
		text := drawLane(&lane, t.from, t.to, columns)
		w.Printf("  %s  %s %4d\n", terminal.Fit(name, before-4), text, lane.Samples)
	}
	if left > 0 {
		w.Printf("  … and %d more threads without samples of the trace\n", left)
	}
	w.Printf("%s\n", laneLegend)
}
