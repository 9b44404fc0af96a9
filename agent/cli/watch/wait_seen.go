package watch

import (
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// How a wait ends.
const (
	outcomeSeen    = "seen"
	outcomeTimeout = "timeout"
	outcomeEnded   = "ended"
)

// waited is how a wait has ended. Counts are of samples until then.
type waited struct {
	Outcome  string        `json:"outcome"`         // seen, timeout or ended
	After    float64       `json:"after"`           // seconds since the wait began
	Time     int64         `json:"time,omitempty"`  // of the sample, or the begin of the stall; Unix, nanoseconds
	Samples  int64         `json:"samples"`         // that were looked at
	Matching int64         `json:"matching"`        // of these, with the labels
	Lost     int64         `json:"lost"`            // samples that were not looked at
	Loops    int           `json:"loops,omitempty"` // event loops whose turns are known, if a stall is waited for
	Sample   *waitedSample `json:"sample,omitempty"`
	Stall    *report.Stall `json:"stall,omitempty"` // what was seen of it: it may have gone on
}

// waitedSample is the sample with which a wait ended.
type waitedSample struct {
	PID    int32          `json:"pid"`
	TID    int32          `json:"tid"`
	Thread string         `json:"thread"`
	Labels map[string]any `json:"labels,omitempty"`

	labels []pprofx.Label
}

// awaited looks for what is waited for. It is a watcher.
type awaited struct {
	began  time.Time
	need   int64         // samples
	labels pprofx.Filter // that they have
	stall  bool          // instead
	end    func()        // is called when it has been seen

	mu     sync.Mutex // guards all below
	stalls *report.Stalls
	found  waited
}

func (*awaited) soFar(agent.Progress) {}

func (a *awaited) missed(samples int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.found.Lost += samples
}

// add looks at the samples of a snapshot. What follows after what was waited for does not count.
func (a *awaited) add(s *pprofx.Snapshot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.found.Outcome != "" {
		return
	}
	a.found.Samples += int64(len(s.Rows))
	for _, n := range s.Lost {
		a.found.Lost += n
	}
	if a.stall {
		a.addStalls(s)
	} else {
		a.addMatching(a.labels.Apply(s))
	}
	if a.found.Outcome != "" {
		a.found.After = time.Since(a.began).Seconds()
		a.end()
	}
}

func (a *awaited) addStalls(s *pprofx.Snapshot) {
	a.stalls.Add(s)
	a.found.Loops = a.stalls.Loops()
	if longest, _ := a.stalls.Longest(); len(longest) > 0 {
		a.found.Outcome, a.found.Time, a.found.Stall = outcomeSeen, longest[0].Start, &longest[0]
	}
}

func (a *awaited) addMatching(s *pprofx.Snapshot) {
	before := a.found.Matching
	a.found.Matching += int64(len(s.Rows))
	if a.found.Matching < a.need {
		return
	}
	r := &s.Rows[a.need-before-1]
	labels := s.LabelSets[r.Labels]
	a.found.Outcome, a.found.Time = outcomeSeen, r.Time
	a.found.Sample = &waitedSample{r.PID, r.TID, s.Threads[r.Thread], terminal.LabelValues(labels), labels}
}

// ended returns how the wait has ended, if it was not in vain, and the counts.
func (a *awaited) ended() *waited {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.found
	if found.Outcome == "" {
		found.After = time.Since(a.began).Seconds()
	}
	return &found
}
