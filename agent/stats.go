package agent

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/pprofx"
)

// Reasons why a sample that was taken is in no snapshot.
const (
	LostRingFull  = "ring buffer full"
	LostMalformed = "malformed record"
	LostExited    = "process exited"
)

// Stats is what is said at the end. Taken = Written + the sum of Lost.
type Stats struct {
	Start, End    time.Time
	Taken         int64            // samples of the selected processes
	Samples       int64            // handled so far
	Written       int64            // rows of snapshots
	Lost          map[string]int64 // by reason
	ToRoot        int64            // samples whose stack reaches the thread's first frame through known frames
	WithJS        int64            // samples with JavaScript frames
	Named         int64            // of these, with every such frame named
	Labelled      int64            // samples with a label
	Requests      int64            // samples while a store of an AsyncLocalStorage was current
	Learning      int64            // samples that may lack a label because something was not learnt yet
	Unreadable    int64            // samples of which a part of the context could not be read
	Cut           int64            // samples with a value that is longer than what is read of it
	BadLabels     int64            // values that were not what their label must be
	OverLimit     int64            // samples of which something published is larger than what is read
	UnknownKeys   int64            // samples of which an attribute has a key that the process does not name
	SnapshotsLost int64            // by slow sinks
	Frames        int64            // of all samples, inlined ones included
	InKernel      time.Duration    // that taking the samples took, part of it in the CPU time of the sampled processes
	SourceMaps    MapStats
	Unmatched     []Unmatched
	ringFull      int64
	eventsLost    int64
}

// Unmatched is a label rule that never matched, with the property names that stores had.
type Unmatched struct {
	Label string
	Seen  []string
}

// Progress is shown while the profiler runs.
type Progress struct {
	Elapsed                  time.Duration
	Samples, WithJS, Named   int64
	Requests, Labelled, Lost int64
}

// flags is what naming and joining found out about the sample at hand.
type flags struct {
	v8                   bool // a frame in V8's code was met
	js, unnamed, broken  bool // has JS frames; one has no name; a frame is missing or unknown
	present              bool // a store is current
	learning, unreadable bool // something of the context was not known yet, or not readable
	bad                  bool // something published was not what it must be
	cut                  bool // a value is longer than what is read of it
	overLimit            bool // something published is larger than what is read
	unknownKey           bool // an attribute has a key that the process does not name
}

// whole reports whether the labels are all that there is to say, now and later, of the same context.
func (f flags) whole() bool {
	return !f.learning && !f.unreadable && !f.cut && !f.bad && !f.overLimit && !f.unknownKey
}

func (s *Stats) count(out *pprofx.Sample, f flags) {
	add := func(n *int64, yes bool) {
		if yes {
			*n++
		}
	}
	s.Samples++
	s.Frames += int64(len(out.Stack))
	add(&s.ToRoot, out.Stop == "root" && !f.broken)
	add(&s.WithJS, f.js)
	add(&s.Named, f.js && !f.unnamed)
	add(&s.Requests, f.present)
	add(&s.Labelled, len(out.Labels) > 0)
	add(&s.Learning, f.learning)
	add(&s.Unreadable, f.unreadable)
	add(&s.OverLimit, f.overLimit)
	add(&s.UnknownKeys, f.unknownKey)
	add(&s.Cut, f.cut)
}

func (s *Stats) written(snapshot *pprofx.Snapshot) {
	s.Written += int64(len(snapshot.Rows))
	for reason, n := range snapshot.Lost {
		if s.Lost == nil {
			s.Lost = map[string]int64{}
		}
		s.Lost[reason] += n
	}
}

// LostSum is the number of samples that were taken and are in no snapshot.
func (s *Stats) LostSum() int64 {
	var n int64
	for _, lost := range s.Lost {
		n += lost
	}
	return n
}

// Usage is what this process has used: CPU time, and the most memory that it had at one time, in bytes.
func Usage() (cpu time.Duration, memory int64) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) == nil {
		cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return cpu, mostMemory()
}

// mostMemory is VmHWM of /proc/self/status. (ru_maxrss counts what the parent had before it became this program.)
func mostMemory() int64 {
	b, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

func (a *Agent) progress(now time.Time) Progress {
	return Progress{
		Elapsed: now.Sub(a.stats.Start), Samples: a.stats.Samples, WithJS: a.stats.WithJS, Named: a.stats.Named,
		Requests: a.stats.Requests, Labelled: a.stats.Labelled, Lost: a.stats.LostSum(),
	}
}
