package tables

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

// mostNamed is how many requests, and how many functions, the line of a stall names.
const mostNamed = 3

// printStalls prints the longest turns of event loops.
func printStalls(to io.Writer, r *report.Report, by string, most int) {
	if r.Loops == 0 {
		return
	}
	least := time.Duration(report.LeastStall).Milliseconds()
	n := len(r.Stalls) + int(r.MoreStalls)
	if n == 0 {
		fmt.Fprintf(to, "\nNo event loop was held up for %d ms\n", least)
		return
	}
	fmt.Fprintf(to, "\nEvent loops held up for %d ms and more: %d times\n", least, n)
	for i := range r.Stalls[:min(len(r.Stalls), most)] {
		s := &r.Stalls[i]
		of := terminal.Fit(terminal.Printable(StallRequests(s.Requests, by)), 26)
		line := fmt.Sprintf("  %6d ms  at %.2f s  %s  %s", time.Duration(s.Length).Milliseconds(),
			time.Duration(s.Start-r.Start).Seconds(), of, terminal.Printable(StallCalls(s)))
		if off := 100 * s.Off / s.Length; off >= 5 {
			line += fmt.Sprintf(", off %d %%", off)
		}
		if on := s.Samples*r.Period - s.Off; 2*(on+s.Off) < s.Length {
			line += fmt.Sprintf(", on a CPU for %d ms", time.Duration(on).Milliseconds())
		}
		if len(r.Processes) > 1 {
			line += fmt.Sprintf(", process %d", s.PID)
		}
		if s.TID != s.PID {
			line += fmt.Sprintf(", thread %d", s.TID)
		}
		fmt.Fprintln(to, line)
	}
	terminal.PrintRest(to, n-most)
}

// StallRequests names the routes of a stall, the greatest first, and what has none by a label, if by is not empty.
func StallRequests(all []report.Request, by string) string {
	none := "(no " + cmp.Or(by, "route") + ")"
	var names []string
	samples := map[string]bool{}
	for _, r := range all {
		if name := cmp.Or(r.Route, r.By, none); !samples[name] {
			samples[name] = true
			names = append(names, name)
		}
	}
	return listed(names)
}

// StallCalls says what the samples of a stall have in common, the last functions of it, and what these called. Where
// these are not the application's, it begins with the last one that is.
func StallCalls(s *report.Stall) string {
	var names []string
	for i, c := range s.Calls {
		if share := 100 * c.Samples / s.Samples; share >= 5 || i == 0 {
			names = append(names, c.Name)
		}
	}
	if len(s.Path) == 0 {
		return listed(names)
	}
	text := pathText(s.Path)
	if len(names) > 0 {
		text += ": " + listed(names)
	}
	return text
}

func pathText(path []report.Place) string {
	var names []string
	last := path[max(0, len(path)-mostNamed):]
	if !slices.ContainsFunc(last, report.Place.OfApplication) {
		for _, p := range slices.Backward(path[:len(path)-len(last)]) {
			if p.OfApplication() {
				names, last = []string{p.Name + " (" + terminal.ShortFile(p.File) + ")", "…"}, last[len(last)-1:]
				break
			}
		}
	}
	for _, p := range last {
		names = append(names, p.Name)
	}
	return strings.Join(names, " › ") + " (" + terminal.ShortFile(path[len(path)-1].File) + ")"
}

func listed(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		return strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
