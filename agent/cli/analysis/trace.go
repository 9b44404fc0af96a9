package analysis

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// Trace is the verb that says what a trace did on the CPU.
type Trace struct {
	ID    string        `arg:"" help:"Trace id, or the beginning of one."`
	Files []string      `arg:"" help:"Recordings (.otlp or .jsonl) of all services, or folders of agents' stores."`
	Since time.Duration `help:"Only samples of the last TIME, such as 1h." placeholder:"TIME"`
	Until time.Duration `help:"Only samples older than TIME." placeholder:"TIME"`
	Lines int           `default:"12" help:"Most lines of a table (${default})." placeholder:"N"`
	JSON  bool          `name:"json" help:"Print all of it as JSON."`
}

// Run prints a trace. It reads the recordings twice.
func (v *Trace) Run(stdout io.Writer, c terminal.Console) error {
	if v.Lines < 1 {
		return exit.Usagef("--lines %d: at least 1", v.Lines)
	}
	if v.ID == "" {
		return exit.Usagef("trace: no id")
	}
	ids := report.NewTraceIDs(v.ID)
	err := v.eachSnapshot(c, func(_ int, s *pprofx.Snapshot) { ids.Add(s) })
	if err != nil {
		return err
	}
	found := ids.Found()
	switch {
	case len(found) == 0:
		return fmt.Errorf("no sample of a trace %s in %s: shorter than %s", terminal.Printable(v.ID),
			terminal.Printable(strings.Join(v.Files, " ")),
			"the time between two samples, not sampled at that time, or not in a span")
	case len(found) > 1:
		return ambiguous(v.ID, found)
	}
	t, err := v.read(found[0])
	if err != nil {
		return err
	}
	if v.JSON {
		return terminal.PrintJSON(stdout, t)
	}
	return printTrace(stdout, t, v.Lines, terminal.WidthOf(stdout))
}

// eachSnapshot calls do with each snapshot, and the number of the file or folder that it is from.
func (v *Trace) eachSnapshot(c terminal.Console, do func(source int, s *pprofx.Snapshot)) error {
	filter := recording.FilterFlags{Since: v.Since, Until: v.Until}
	for i, file := range v.Files {
		err := filter.EachSnapshot(c, []string{file}, func(s *pprofx.Snapshot) error {
			do(i, s)
			return recording.RequireTimes(s, "trace")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads the recordings again, for all that is known of a trace. What is to be said of them has been said.
func (v *Trace) read(of report.FoundTrace) (*traced, error) {
	t := &traced{ID: of.ID, Route: of.Route, First: of.First, Last: of.Last, Samples: of.Samples,
		Lost: map[string]int64{}, Suggested: suggestRate(of)}
	lanes, builders := report.NewLanes(of), map[int64]*report.Builder{}
	t.from, t.to = lanes.Interval()
	chosen := pprofx.Filter{Labels: []pprofx.LabelFilter{{Key: "trace_id", Values: []string{of.ID}}}}
	err := v.eachSnapshot(terminal.Console{Writer: io.Discard}, func(source int, s *pprofx.Snapshot) {
		if s.End < t.from || s.Start > t.to {
			return
		}
		for reason, n := range s.Lost {
			t.Lost[reason.String()] += n
		}
		lanes.Add(source, s)
		own := chosen.Apply(s)
		if len(own.Rows) == 0 {
			return
		}
		if builders[s.Period] == nil {
			builders[s.Period] = report.NewBuilder("span_id")
		}
		builders[s.Period].Add(own)
	})
	for _, period := range slices.Sorted(maps.Keys(builders)) {
		r := builders[period].Report()
		t.CPU += float64(r.Samples*period) / 1e9
		t.Reports = append(t.Reports, r)
	}
	t.Lanes, t.WithoutIDs = lanes.Lanes(), lanes.WithoutIDs()
	return t, err
}

// mostCandidates is how many traces an error lists.
const mostCandidates = 10

func ambiguous(prefix string, found []report.FoundTrace) error {
	text := fmt.Sprintf("%d traces begin with %s:", len(found), terminal.Printable(prefix))
	for _, f := range found[:min(len(found), mostCandidates)] {
		samples := "samples"
		if f.Samples == 1 {
			samples = "sample"
		}
		text += fmt.Sprintf("\n  %s  %4d %s  %s", terminal.Printable(f.ID), f.Samples, samples,
			terminal.Printable(f.Route))
	}
	if n := len(found) - mostCandidates; n > 0 {
		text += fmt.Sprintf("\n  … and %d more", n)
	}
	return fmt.Errorf("%s", text)
}
