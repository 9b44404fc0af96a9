package record

import (
	"io"
	"maps"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/pprofx"
)

// account says what became of what a recording has taken, and what that cost, in JSON. Taken is the sum of Written,
// Idle, NoHit, OtherThreads and Lost. Times are in seconds, sizes in bytes.
type account struct {
	Duration     float64          `json:"duration"`
	Taken        int64            `json:"taken"`                  // samples, hits of probes and waits
	Written      int64            `json:"written"`                // of these, in files
	Idle         int64            `json:"idle,omitempty"`         // waits of threads that had nothing to do
	NoHit        int64            `json:"noHit,omitempty"`        // of the probe stall: samples that are not a hit
	OtherThreads int64            `json:"otherThreads,omitempty"` // for which the format has no room
	Lost         map[string]int64 `json:"lost"`                   // by reason

	Samples      int64            `json:"samples"` // handled; the counts below are of these
	ToRoot       int64            `json:"toRoot"`  // with a whole stack
	JavaScript   int64            `json:"javaScript"`
	Named        int64            `json:"named"`
	NoLine       int64            `json:"withoutLines"`
	Unverified   int64            `json:"notVerified"`
	Requests     int64            `json:"inRequests"`
	Labelled     int64            `json:"labelled"`
	NotAllLabels map[string]int64 `json:"notAllLabels"` // by reason

	Probes         []probeAccount   `json:"probes,omitempty"`
	Waits          *waitAccount     `json:"waits,omitempty"`
	Throttled      []throttledGroup `json:"throttled,omitempty"`
	TimerThrottled float64          `json:"timerHeldBack,omitempty"`   // all CPUs together
	Unsampled      float64          `json:"unsampledStarts,omitempty"` // CPU time of processes before they were sampled

	Unmatched     []labels.Unmatched `json:"unmatchedLabels,omitempty"`
	SourceMaps    map[string]int64   `json:"sourceMapsNotUsed,omitempty"` // by reason
	LeftOut       map[string]int64   `json:"leftOut,omitempty"`           // of samples that are in files
	SnapshotsLost int64              `json:"snapshotsLost,omitempty"`
	MachineCode   *jitcode.Stats     `json:"machineCode,omitempty"`

	CPU      float64 `json:"cpu"`      // of hotspan
	Memory   int64   `json:"memory"`   // of hotspan, the most at one time
	InKernel float64 `json:"inKernel"` // of all samples
	File     string  `json:"file,omitempty"`
}

// probeAccount is what a probe has counted.
type probeAccount struct {
	Probe     string           `json:"probe"`
	Hits      int64            `json:"hits"`
	Lost      map[string]int64 `json:"lost,omitempty"`      // by reason
	Unmet     int64            `json:"leftOut,omitempty"`   // others, by if
	Value     int64            `json:"value,omitempty"`     // sum
	ValueLost int64            `json:"valueLost,omitempty"` // of it, for which no sample stands
	// ValueLostBy is that by the reason, where there are several by their names: see lostValues.
	ValueLostBy map[string]int64 `json:"valueLostBy,omitempty"`
	NoValue     int64            `json:"noValue,omitempty"` // hits with values over 2^40
	Late        float64          `json:"late,omitempty"`    // seconds, at the most, until it was on a process
}

// waitAccount is how long threads waited.
type waitAccount struct {
	OnCPU      float64 `json:"onCPU,omitempty"`
	Ended      float64 `json:"ended"` // in system calls and page faults
	Samples    float64 `json:"samples"`
	Idle       float64 `json:"idle"`
	Short      float64 `json:"short"`
	Ready      float64 `json:"ready"` // for a CPU
	Elsewhere  float64 `json:"elsewhere"`
	Unfinished float64 `json:"unfinished"`
	Unknown    int64   `json:"unknownThreads,omitempty"`
}

// throttledGroup is a control group that had used up its CPU time.
type throttledGroup struct {
	Group   string  `json:"group"`
	Periods int64   `json:"periods"`
	Reached int64   `json:"reached"`
	Time    float64 `json:"time"`
}

// accountOf returns the account of a recording. What is not in its files, of what snapshots have, is lost too, whether
// it could not be written, or came faster than it was.
func accountOf(s *agent.Stats, files *fileSink) *account {
	lost := byReason(s.Lost)
	lost[pprofx.LostFull.String()] += files.left.Samples
	lost["not written"] = files.unwritten(s)
	a := &account{
		Duration: s.End.Sub(s.Start).Seconds(), Taken: s.Taken, Idle: s.IdleWaits, NoHit: s.NoHit, Lost: some(lost),
		Written:      files.written - files.left.Samples - files.left.OtherThreads,
		OtherThreads: files.left.OtherThreads,
		Samples:      s.Samples, ToRoot: s.ToRoot, JavaScript: s.WithJS, Named: s.Named, NoLine: s.NoLine,
		Unverified: s.Unverified, Requests: s.Requests, Labelled: s.Labelled, NotAllLabels: notAllLabels(s),
		Waits: waitsOf(s), Unmatched: s.Unmatched, SourceMaps: unusedMaps(&s.SourceMaps),
		LeftOut: some(map[string]int64{
			"stacks": files.left.Stacks, "ids": files.left.IDs, "labels": files.left.Labels}),
		SnapshotsLost: s.SnapshotsLost, CPU: budget.OwnCPU().Seconds(), Memory: budget.OwnMemory().Peak,
		InKernel: s.InKernel.Seconds(), File: files.last,
	}
	heldBack, _ := profiling.HeldBack(s.TimerThrottled)
	a.TimerThrottled, a.Unsampled = heldBack.Seconds(), s.Unsampled.Seconds()
	for _, h := range s.Hits {
		a.Probes = append(a.Probes, probeOf(h, s.Lost))
	}
	for _, g := range s.Throttled {
		a.Throttled = append(a.Throttled, throttledGroup{g.Folder, g.Periods, g.Reached, g.Time.Seconds()})
	}
	return a
}

// unwritten returns how many samples of snapshots are in no file.
func (s *fileSink) unwritten(of *agent.Stats) int64 { return of.Written - s.written }

// printAccount prints the account of a recording. code is what was copied into a directory; empty: nothing was.
func printAccount(to io.Writer, s *agent.Stats, files *fileSink, dir string, code jitcode.Stats) error {
	a := accountOf(s, files)
	if dir != "" {
		a.MachineCode = &code
	}
	return terminal.PrintJSON(to, a)
}

func probeOf(h trigger.Hits, all map[pprofx.LostReason]int64) probeAccount {
	return probeAccount{
		Probe: h.Text, Hits: h.All, Lost: some(byReason(h.Lost)), Unmet: h.Unmet, Value: h.Weight,
		ValueLost: valueLost(h), ValueLostBy: lostValues(h, all), NoValue: h.Odd,
		Late: h.Late.Seconds(),
	}
}

// waitsOf returns how long threads waited; nil where that was not measured.
func waitsOf(s *agent.Stats) *waitAccount {
	w := s.Waits
	if w.Since == 0 {
		return nil
	}
	return &waitAccount{
		OnCPU: w.OnCPU.Seconds(), Ended: w.Ended.Seconds(), Samples: w.Sampled.Seconds(), Idle: s.Idle.Seconds(),
		Short: w.Brief.Seconds(), Ready: w.Ready.Seconds(), Elsewhere: w.Elsewhere.Seconds(),
		Unfinished: w.Unfinished.Seconds(), Unknown: w.Unknown,
	}
}

// notAllLabels counts samples that may lack a label, by the reason.
func notAllLabels(s *agent.Stats) map[string]int64 {
	return some(map[string]int64{
		"learning": s.Learning, "unreadable": s.Unreadable, "cut": s.Cut, "bad values": s.BadLabels,
		"over limit": s.OverLimit, "unknown keys": s.UnknownKeys, "async_hooks not found": s.NoHooks,
	})
}

// unusedMaps counts source maps that were not used, by the reason, and samples that one came too late for.
func unusedMaps(m *sourcemaps.Stats) map[string]int64 {
	return some(map[string]int64{
		"broken": m.Broken, "too large": m.TooLarge, "not found": m.Missing, "on servers": m.Remote,
		"changed": m.Changed, "late": m.Late,
	})
}

// some removes what is 0.
func some(of map[string]int64) map[string]int64 {
	maps.DeleteFunc(of, func(_ string, n int64) bool { return n == 0 })
	return of
}

func sum(of map[string]int64) (n int64) {
	for _, m := range of {
		n += m
	}
	return n
}

func byReason(of map[pprofx.LostReason]int64) map[string]int64 {
	out := map[string]int64{}
	for reason, n := range of {
		out[reason.String()] = n
	}
	return out
}
