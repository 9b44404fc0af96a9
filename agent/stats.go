package agent

import (
	"time"

	"github.com/hotspan/hotspan/agent/internal/cgroup"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/pprofx"
)

// Stats are the counts of a run. Taken = Written + IdleWaits + NoHit + the sum of Lost.
type Stats struct {
	Start, End    time.Time
	Taken         int64         // samples of the selected processes, or hits of probes, or waits, in them
	Samples       int64         // handled so far
	Written       int64         // rows of snapshots, or the hits that they stand for
	WrittenHits   int64         // of these, hits of probes
	ToRoot        int64         // samples whose stack reaches the thread's first frame through known frames
	WithJS        int64         // samples with JavaScript frames
	Named         int64         // of these, with every such frame named
	NoLine        int64         // samples in which a line is missing, or an inlined function: the code was gone
	Unverified    int64         // samples of processes that contradict the layout: names, lines or labels are left out
	Labelled      int64         // samples with a label
	Requests      int64         // samples while a store of an AsyncLocalStorage was current
	Learning      int64         // samples that may lack a label that the BPF program could not read yet
	Unreadable    int64         // samples of which a part of the context could not be read
	Cut           int64         // samples with a value that is longer than what is read of it
	BadLabels     int64         // values that are invalid for their label, such as a trace id of another length
	OverLimit     int64         // samples of which something published is larger than what is read
	NoHooks       int64         // samples of isolates whose async_hooks were not found: in requests, labels are missing
	UnknownKeys   int64         // samples of which an attribute has a key that the process does not name
	SnapshotsLost int64         // dropped because a sink was too slow
	Frames        int64         // of all samples, inlined ones included
	Rate          int           // samples a second on each CPU, now
	SnapshotEvery time.Duration // time that a snapshot covers, now
	CPU           time.Duration // of this process and of its BPF programs, when they were measured last
	Memory        int64         // anonymous memory of this process and BPF maps, in bytes, when it was measured last
	MapBytes      int64         // of the BPF maps, part of Memory; of all Agents here but those with TableBytes
	Executables   int           // files with code that processes have mapped, each once
	Saving        int           // what is done against a lack of memory, 0 to 5
	InKernel      time.Duration // time spent in the BPF program, in part CPU time of the sampled processes
	SourceMaps    sourcemaps.Stats
	Hits          []trigger.Hits // of Config.Probes
	Waits         trigger.Waits  // of Config.OffCPU
	Idle          time.Duration  // of these, in IdleWaits of threads that had nothing to do
	IdleWaits     int64
	NoHit         int64              // of the probe stall: samples that are not a hit
	Throttled     []cgroup.Throttled // control groups of processes that were kept off the CPUs by a limit
	Unmatched     []labels.Unmatched
	// TimerThrottled is for how long the kernel let no timer fire, all CPUs together, since they fired too often.
	TimerThrottled time.Duration
	Unsampled      time.Duration               // CPU time of processes that started, until they were attached to
	Profiled       int                         // processes, until now
	Lost           map[pprofx.LostReason]int64 // samples
}

// Progress are the counts so far, for Config.Progress.
type Progress struct {
	Elapsed                  time.Duration
	Samples, WithJS, Named   int64
	Requests, Labelled, Lost int64
}

func (s *Stats) count(out *pprofx.Sample, named symbolize.Result, context labels.Flags) {
	add := func(n *int64, yes bool) {
		if yes {
			*n++
		}
	}
	s.Samples++
	s.Frames += int64(len(out.Stack))
	add(&s.ToRoot, out.Stop == pprofx.StopRoot && !named.Broken)
	add(&s.WithJS, named.JS)
	add(&s.Named, named.JS && !named.Unnamed)
	add(&s.NoLine, named.NoLine)
	add(&s.Requests, context.Present)
	add(&s.Labelled, len(out.Labels) > 0)
	add(&s.Learning, context.Learning)
	add(&s.Unreadable, context.Unreadable)
	add(&s.OverLimit, context.OverLimit)
	add(&s.UnknownKeys, context.UnknownKey)
	add(&s.NoHooks, context.NoHooks)
	add(&s.Cut, context.Cut)
}

func (s *Stats) written(snapshot *pprofx.Snapshot) {
	s.Written += snapshot.Hits()
	if snapshot.Measure.OfHits() {
		s.WrittenHits += snapshot.Hits()
	}
	for reason, n := range snapshot.Lost {
		s.Lost[reason] += n
	}
}

// LostSum returns the number of samples that were taken and are in no snapshot.
func (s *Stats) LostSum() (n int64) {
	for _, lost := range s.Lost {
		n += lost
	}
	return n
}

// progress returns the counts so far.
func (s *Stats) progress(now time.Time) Progress {
	return Progress{Elapsed: now.Sub(s.Start), Samples: s.Samples, WithJS: s.WithJS, Named: s.Named,
		Requests: s.Requests, Labelled: s.Labelled, Lost: s.LostSum()}
}
