package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// The most lines of each table, and the widths of its columns.
const (
	maxRoutes    = 10
	maxFunctions = 12
	maxTraces    = 5
	nameWidth    = 34
	barWidth     = 24
)

// printer prints text, with colour if it goes to a terminal and NO_COLOR is not set.
type printer struct {
	w      io.Writer
	colour bool
}

func newPrinter(f *os.File) printer {
	info, err := f.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return printer{f, terminal && os.Getenv("NO_COLOR") == ""}
}

func (p printer) style(code, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p printer) bold(text string) string { return p.style("1", text) }
func (p printer) dim(text string) string  { return p.style("2", text) }

func (p printer) report(r *report, file string) {
	each := time.Duration(r.total / int64(max(1, r.samples))).Round(100 * time.Microsecond)
	fmt.Fprintf(p.w, "\n%s of CPU in %d samples of %s; %s of it in a request whose route is known.\n",
		seconds(r.total), r.samples, each, share(r.named, r.total))
	p.title("CPU by route", "")
	p.table(r.routes, maxRoutes, r.total, true)
	p.title("Top functions", "the service's own, with what V8 and Node did for them; at the line with most")
	p.table(r.functions, maxFunctions, r.total, false)
	p.title("Traces with most CPU", fmt.Sprintf("%d different ones were seen", len(r.traces)))
	p.table(r.traces, maxTraces, r.total, false)
	p.explore(file, r)
}

func (p printer) title(text, remark string) {
	if remark != "" {
		remark = "  " + p.dim("("+remark+")")
	}
	fmt.Fprintf(p.w, "\n%s%s\n", p.bold(text), remark)
}

func (p printer) table(list []entry, most int, total int64, bars bool) {
	for i, e := range list {
		if i == most {
			fmt.Fprintf(p.w, "  %s\n", p.dim(fmt.Sprintf("… and %d more", len(list)-most)))
			return
		}
		last := p.dim(e.detail)
		if bars {
			last = p.style("33", bar(e.cpu, list[0].cpu))
		}
		line := fmt.Sprintf("  %9s  %6s  %s  %s", seconds(e.cpu), share(e.cpu, total), fit(e.name, nameWidth), last)
		fmt.Fprintln(p.w, strings.TrimRight(line, " "))
	}
}

func (p printer) explore(file string, r *report) {
	focus := "/sudoku"
	for _, e := range r.routes {
		if e.name != noRoute {
			focus = e.name
			break
		}
	}
	p.title("Look further", "the profile is "+file)
	fmt.Fprintf(p.w, "  go tool pprof -tags -tagshow http.route %s\n", file)
	fmt.Fprintf(p.w, "  go tool pprof -top -tagfocus 'http.route=%s' %s\n", focus, file)
	fmt.Fprintf(p.w, "  go tool pprof -http 127.0.0.1:8080 -tagroot http.route %s\n", file)
}

// seconds formats nanoseconds as seconds, or as milliseconds below a second.
func seconds(ns int64) string {
	d := time.Duration(ns)
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

func share(part, whole int64) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// fit pads or cuts the text to so many characters.
func fit(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if n <= width {
		return text + strings.Repeat(" ", width-n)
	}
	return string([]rune(text)[:width-1]) + "…"
}

// bar draws value against the greatest in eighths of a character.
func bar(value, greatest int64) string {
	eighths := int(8 * barWidth * float64(value) / float64(greatest))
	rest := []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}[eighths%8]
	return strings.Repeat("█", eighths/8) + rest
}
