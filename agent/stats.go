package agent

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/pprofx"
)

// Stats are the counts of a run. Taken = Written + the sum of Lost.
type Stats struct {
	Start, End    time.Time
	Taken         int64         // samples of the selected processes
	Samples       int64         // handled so far
	Written       int64         // rows of snapshots
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
	UnknownKeys   int64         // samples of which an attribute has a key that the process does not name
	SnapshotsLost int64         // dropped because a sink was too slow
	Frames        int64         // of all samples, inlined ones included
	InKernel      time.Duration // time spent in the BPF program, in part CPU time of the sampled processes
	SourceMaps    MapStats
	Unmatched     []Unmatched

	Lost map[pprofx.LostReason]int64 // samples
}

// MapStats counts the scripts that name a source map.
type MapStats struct {
	Loaded   int64 // the map is used
	Missing  int64 // there is no such file
	Remote   int64 // it is on a server: hotspan requests none
	Broken   int64 // it could not be read, or is of another script than the one that runs
	TooLarge int64 // it is over a limit
	Late     int64 // samples with positions in generated code because their map was not read in time
}

// Unmatched is a label rule that never matched, with the property names that stores had.
type Unmatched struct {
	Label string
	Seen  []string
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
	add(&s.Cut, context.Cut)
}

func (s *Stats) written(snapshot *pprofx.Snapshot) {
	s.Written += int64(len(snapshot.Rows))
	for reason, n := range snapshot.Lost {
		if s.Lost == nil {
			s.Lost = map[pprofx.LostReason]int64{}
		}
		s.Lost[reason] += n
	}
}

// LostSum returns the number of samples that were taken and are in no snapshot.
func (s *Stats) LostSum() int64 {
	var n int64
	for _, lost := range s.Lost {
		n += lost
	}
	return n
}

// Usage returns the CPU time and the peak resident memory, in bytes, of this process.
func Usage() (cpu time.Duration, memory int64) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) == nil {
		cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return cpu, peakMemory()
}

// peakMemory returns VmHWM of /proc/self/status. (ru_maxrss includes the memory of the parent before execve.)
func peakMemory() int64 {
	b, _ := os.ReadFile("/proc/self/status")
	value, _ := procs.StatusField(b, "VmHWM")
	if len(value) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(value[0], 10, 64)
	return kib << 10
}

// progress returns the counts so far.
func (s *Stats) progress(now time.Time) Progress {
	return Progress{
		Elapsed: now.Sub(s.Start), Samples: s.Samples, WithJS: s.WithJS, Named: s.Named,
		Requests: s.Requests, Labelled: s.Labelled, Lost: s.LostSum(),
	}
}
