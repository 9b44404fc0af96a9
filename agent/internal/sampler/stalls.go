package sampler

import (
	"time"

	"github.com/hotspan/hotspan/agent/internal/probe"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/agent/internal/uvloop"
	"github.com/hotspan/hotspan/pprofx"
)

// stallWait is the shortest wait that is looked at for stalls.
const stallWait = time.Millisecond

// stalls are the hits of the probe stall: of the samples of the timer and of waits, that by which a turn of an event
// loop has lasted for least. The zero value is another probe, or none.
type stalls struct {
	text  string // of the probe
	least time.Duration
	hits  int64
}

func newStalls(probes []string) (s stalls, err error) {
	if s.least, err = probe.Stall(probes); s.least > 0 {
		s.text = probes[0]
	}
	return s, err
}

// hit reports whether a sample is a hit, and counts it.
func (s *stalls) hit(of *Sample, named *pprofx.Sample, loops *uvloop.Loops) bool {
	hit := loops.Reached(int64(s.least), named.TID, named.Turn, int64(of.Time-of.Weight), int64(of.Time))
	if hit {
		s.hits++
	}
	return hit
}

// counted returns what the probe has counted.
func (s *stalls) counted() []trigger.Hits {
	return []trigger.Hits{{Text: s.text, Counts: trigger.Counts{All: s.hits}}}
}
