package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

// result is what the runs of a trial have shown.
type result struct {
	*trial
	figures
	runs    int
	failed  []error // why, of each run that failed
	took    time.Duration
	skipped string // why this machine cannot do it
}

func (r *result) add(f figures, took time.Duration, err error) {
	r.runs++
	r.took += took
	if err != nil {
		r.failed = append(r.failed, err)
		fmt.Fprintf(os.Stderr, "%s, run %d: %v\n", r.name, r.runs, err)
	}
	r.taken, r.written, r.lost = r.taken+f.taken, r.written+f.written, r.lost+f.lost
	r.events += f.events
	r.killed += f.killed
	r.memory, r.peak = max(r.memory, f.memory), max(r.peak, f.peak)
	r.descriptors, r.entries = max(r.descriptors, f.descriptors), max(r.entries, f.entries)
}

func failures(results []*result) (n int) {
	for _, r := range results {
		n += len(r.failed)
	}
	return n
}

// print prints a table in Markdown.
func print(w io.Writer, results []*result) {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.TabIndent)
	row := func(cells ...any) {
		fmt.Fprintf(t, "|"+strings.Repeat("\t %v\t|", len(cells))+"\n", cells...)
	}
	row("trial", "runs", "failed", "events", "taken", "written", "lost", "memory more", "descriptors more",
		"entries more", "peak")
	row("---", "---", "---", "---", "---", "---", "---", "---", "---", "---", "---")
	for _, r := range results {
		if r.skipped != "" {
			fmt.Fprintf(t, "|\t %s\t|\t skipped: %s\n", r.name, r.skipped)
			continue
		}
		row(r.name, r.runs, len(r.failed), r.events, r.taken, r.written, r.lost, mib(r.memory), r.descriptors,
			r.entries, mib(r.peak))
	}
	t.Flush()
}

func mib(kib int64) string { return fmt.Sprintf("%d MiB", kib>>10) }
