package trigger

import (
	"cmp"
	"fmt"
	"time"

	"github.com/cilium/ebpf"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
)

const defaultLimit = 1000 // samples a second

// limit bounds the samples of each probe: so many a second on each CPU, and after a pause so many at once.
type limit struct {
	objects  *bpf.Objects
	interval uint64
	state    []bpf.Probe // by CPU; scratch
	stopped  bool
}

// newLimit makes a limit; 0 a second is 1,000.
func newLimit(objects *bpf.Objects, perSecond int) (l limit, err error) {
	perSecond = cmp.Or(perSecond, defaultLimit)
	if perSecond < 1 || perSecond > int(time.Second) {
		return l, fmt.Errorf("%d samples a second: at least 1", perSecond)
	}
	cpus, err := ebpf.PossibleCPU()
	interval := uint64(time.Second) / uint64(perSecond)
	return limit{objects: objects, interval: interval, state: make([]bpf.Probe, cpus)}, err
}

// admit admits samples of a probe, and sets its counts to 0.
func (l *limit) admit(number uint32) error { return l.put(number, l.interval) }

// start has hits count, of all probes; stop ends that.
func (l *limit) start() error { return l.put(0, 1) }
func (l *limit) stop() error  { l.stopped = true; return l.put(0, 0) }

func (l *limit) put(number uint32, interval uint64) error {
	for i := range l.state {
		l.state[i].Interval = interval
	}
	if err := l.objects.Probes.Put(number, l.state); err != nil {
		return fmt.Errorf("limit of a probe: %w", err)
	}
	return nil
}

// Counts are the hits of a probe in profiled processes, where its condition is met: samples, and those that are lost.
type Counts struct {
	All   int64
	Unmet int64 // the hits beside them, where it is not
	Lost  map[pprofx.LostReason]int64

	Weight int64 // sum over All
	Odd    int64 // of All, without a weight: it would be over 2^40, as a register may say that holds something else
	// LostWeight is what no sample stands for of Weight, where the reason is known. Of hits that the BPF program leaves
	// out it counts no weight.
	LostWeight map[pprofx.LostReason]int64
}

// counts reads those of a probe, summed over CPUs.
func (l *limit) counts(number uint32) (out Counts, err error) {
	var perCPU []bpf.Probe
	if err := l.objects.Probes.Lookup(number, &perCPU); err != nil {
		return out, fmt.Errorf("counts of a probe: %w", err)
	}
	out.Lost, out.LostWeight = map[pprofx.LostReason]int64{}, map[pprofx.LostReason]int64{}
	for _, c := range perCPU {
		out.All += int64(c.Hits)
		out.Unmet += int64(c.Unmet)
		out.Weight += int64(c.Weight)
		out.Odd += int64(c.Odd)
		out.Lost[pprofx.LostLimited] += int64(c.Limited)
		out.Lost[pprofx.LostOverlapped] += int64(c.Overlapped)
		out.Lost[pprofx.LostNested] += int64(c.Nested)
		out.Lost[pprofx.LostUnsafe] += int64(c.Unsafe)
		out.Lost[pprofx.LostElsewhere] += int64(c.Elsewhere)
		if l.stopped { // until then, a sample may come that stands for them
			out.Lost[pprofx.LostRest] += int64(c.ByHits.Passed - c.ByHits.Stood)
			out.LostWeight[pprofx.LostRest] += int64(c.ByValue.Passed - c.ByValue.Stood)
		}
	}
	return out, nil
}
