package recording

import (
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
)

// SampleFlags choose samples.
type SampleFlags struct {
	Service string `help:"Only samples of this service." placeholder:"NAME"`
	Route   string `help:"Only samples of this route." placeholder:"ROUTE"`
	Trace   string `help:"Only samples of this trace." placeholder:"ID"`
}

// Filter returns what the flags choose.
func (f *SampleFlags) Filter() (chosen pprofx.Filter) {
	if f.Service != "" {
		chosen.Services = []string{f.Service}
	}
	for key, value := range map[string]string{"http.route": f.Route, "trace_id": f.Trace} {
		if value != "" {
			chosen.Labels = append(chosen.Labels, pprofx.LabelFilter{Key: key, Values: []string{value}})
		}
	}
	return chosen
}

// FilterFlags choose samples of recordings.
type FilterFlags struct {
	SampleFlags
	rowFlags
	Since   time.Duration    `help:"Only samples of the last TIME, such as 1h." placeholder:"TIME"`
	Until   time.Duration    `help:"Only samples older than TIME." placeholder:"TIME"`
	Measure []pprofx.Measure `help:"${measure}." placeholder:"MEASURE,…"`
}

// byTime reports whether samples are chosen by their times.
func (f *FilterFlags) byTime() bool { return f.Since > 0 || f.Until > 0 || f.Older > 0 }

// choices returns those that the flags make.
func (f *FilterFlags) choices() *choices {
	c := &choices{set: f.byTime() || f.Focus != ""}
	c.add(f.Service != "", "services", func(s *pprofx.Snapshot, r *pprofx.Row) string {
		return s.Processes[int(r.PID)].Service
	})
	c.add(f.Route != "", "routes", label("http.route"))
	c.add(f.Trace != "", "traces", label("trace_id"))
	c.add(f.Thread != "", "threads", func(s *pprofx.Snapshot, r *pprofx.Row) string { return s.Threads[r.Thread] })
	c.add(f.PID != 0, "processes", func(_ *pprofx.Snapshot, r *pprofx.Row) string { return strconv.Itoa(int(r.PID)) })
	c.add(len(f.State) > 0, "states", func(_ *pprofx.Snapshot, r *pprofx.Row) string { return r.State.String() })
	c.add(len(f.Measure) > 0, "measures", func(s *pprofx.Snapshot, _ *pprofx.Row) string { return s.Measure.String() })
	return c
}

// apply returns the samples of a snapshot that are chosen, and of its interval what is; nil if the whole of it is too
// old or too new, or counts something else.
func (f *FilterFlags) apply(s *pprofx.Snapshot, now time.Time) *pprofx.Snapshot {
	if len(f.Measure) > 0 && !slices.Contains(f.Measure, s.Measure) {
		return nil
	}
	chosen := f.Filter()
	chosen.From, chosen.To = f.interval(now)
	part := chosen.Apply(s)
	if part == nil || f.Since == 0 && f.Until == 0 {
		return part
	}
	clipped := *part
	clipped.Start = max(part.Start, chosen.From)
	if chosen.To > 0 {
		clipped.End = max(clipped.Start, min(part.End, chosen.To))
	}
	return &clipped
}

// interval returns the times that are chosen, of [from, to) as in a pprofx.Filter.
func (f *FilterFlags) interval(now time.Time) (from, to int64) {
	if f.Since > 0 {
		from = now.Add(-f.Since).UnixNano()
	}
	if f.Until > 0 {
		to = now.Add(-f.Until).UnixNano()
	}
	return from, to
}

// EachSnapshot is EachRecorded for what shows CPU time: the recordings have no hits of probes.
func (f *FilterFlags) EachSnapshot(c terminal.Console, paths []string, do func(*pprofx.Snapshot) error) error {
	return f.EachRecorded(c, paths, func(s *pprofx.Snapshot) error {
		if err := requireCPUTime(s); err != nil {
			return err
		}
		return do(s)
	})
}

// EachRecorded calls do with the chosen part of each snapshot of recordings. A folder stands for the .otlp files in it.
// Of a recording that is cut off, it reads what is whole, and of a folder what can be read.
func (f *FilterFlags) EachRecorded(c terminal.Console, paths []string, do func(*pprofx.Snapshot) error) error {
	now := time.Now()
	rows, err := f.rowFilter()
	if err != nil {
		return err
	}
	if f.Since < 0 || f.Until < 0 {
		return exit.Usagef("--since %v, --until %v: both are so long ago, and not less than 0", f.Since, f.Until)
	}
	if f.Since > 0 && f.Until >= f.Since {
		return exit.Usagef("--since %v, --until %v: nothing is between them, --since must be longer", f.Since, f.Until)
	}
	there := f.choices()
	each := func(s *pprofx.Snapshot) error {
		if f.byTime() {
			if err := RequireTimes(s, "a choice by time or age"); err != nil {
				return err
			}
		}
		there.note(s)
		if s = f.apply(s, now); s == nil {
			return nil
		}
		s = rows.Apply(s)
		there.chosen += len(s.Rows)
		return do(s)
	}
	var others []string // of another time
	for _, path := range paths {
		var err error
		if info, _ := os.Stat(path); info != nil && info.IsDir() {
			var of []string
			from, to := f.interval(now)
			of, err = readFolder(c, path, from, to, each)
			others = append(others, of...)
		} else {
			err = readRecording(c, path, each)
		}
		if err != nil {
			return err
		}
	}
	there.noteOthers(c, others)
	there.warn(c, f.byTime())
	return nil
}
