package walk

import (
	"errors"
	"log/slog"
	"math"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// meter samples one process and measures what a sample costs, by turns with one reader of labels and another. What the
// program counts of its own time is compared between turns of the same process within seconds, so that a machine that
// is busy, or that becomes faster, is so for all of them.
type meter struct {
	sampler *sampler.Sampler
	files   *elffile.Cache
}

// way is one set of labels that is read of the process.
type way struct {
	process   *process.Process
	config    *bpf.Process
	tree      *reqctx.Tree
	learner   *labels.Learner
	labels    *labels.Process
	published bool  // what the process publishes is read, too
	since     int64 // when its turn began, CLOCK_MONOTONIC in nanoseconds
	// of the turns with one rate, in their order: nanoseconds a sample in the kernel
	costs                     []float64
	samples, labelled, frames int
	threads                   map[uint32]int // samples with labels, by thread
}

// owns tells a sample of the turn from what is left of the one before.
func (w *way) owns(s *sampler.Sample) bool { return int64(s.Time) >= w.since }

func newMeter(b *testing.B) *meter {
	b.Helper()
	m := &meter{}
	var err error
	m.sampler, err = sampler.Open(sampler.Config{RingBytes: 16 << 20})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(m.sampler.Close)
	m.files = elffile.NewCache(m.sampler)
	return m
}

// way prepares a process to be read by rules, and by what it publishes if that is asked for.
func (m *meter) way(b *testing.B, pid int, rules []reqctx.Rule, published bool) *way {
	b.Helper()
	tree, err := reqctx.NewTree(rules)
	if err != nil {
		b.Fatal(err)
	}
	p, err := process.Open(pid, m.files)
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	w := &way{
		process: p, config: labels.Configure(tree, p.Layout), tree: tree,
		published: published, threads: map[uint32]int{},
	}
	labels.ConfigureUVPool(w.config, p)
	if w.config.V8.IsolateTls, err = p.IsolateOffset(); err != nil {
		b.Fatal(err)
	}
	w.config.N_mappings = uint32(first(p.Mappings.BPF(w.config.Mappings[:])))
	w.learner = labels.NewLearner(p, w.config.Id, m.sampler, log)
	w.labels = labels.NewDecoder(tree, m.sampler, log).Process(p, w.config, pprofx.Process{})
	if published {
		w.labels.FindPublished(time.Now())
	}
	return w
}

func first(n, _ int) int { return n }

// monotonic is CLOCK_MONOTONIC in nanoseconds.
func monotonic(b *testing.B) int64 {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		b.Fatal(err)
	}
	return t.Nano()
}

// turn samples the process this way for a time.
func (m *meter) turn(b *testing.B, w *way, d time.Duration) {
	b.Helper()
	if err := m.sampler.SetProcess(w.process.PID, w.config); err != nil {
		b.Fatal(err)
	}
	w.since = monotonic(b)
	before := m.counters(b)
	m.read(b, time.Now().Add(d), w)
	after := m.counters(b)
	if n := after.Taken - before.Taken; n > 0 {
		w.costs = append(w.costs, float64(after.Nanoseconds-before.Nanoseconds)/float64(n))
	}
}

func (m *meter) counters(b *testing.B) sampler.Counters {
	b.Helper()
	c, err := m.sampler.Counters()
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// read takes samples until a deadline, and has the way join their labels.
func (m *meter) read(b *testing.B, deadline time.Time, w *way) {
	b.Helper()
	for time.Now().Before(deadline) {
		m.sampler.LookAhead(func(s *sampler.Sample) {
			if w.owns(s) {
				w.learner.Answer(s)
			}
		})
		r, err := m.sampler.Read()
		switch {
		case errors.Is(err, sampler.ErrEmpty):
			m.sampler.Wait(deadline)
		case err != nil:
			b.Fatal(err)
		case r.Sample != nil && w.owns(r.Sample):
			m.take(r.Sample, w)
		}
	}
}

func (m *meter) take(s *sampler.Sample, w *way) {
	w.samples++
	w.frames += len(s.Frames) + int(s.Skipped)
	if read, _ := w.labels.Decode(s); len(read) > 0 {
		w.labelled++
		w.threads[s.Tid]++
	}
	known := m.sampler.Known()
	known.Add(w.config.Id, s, &s.Callee)
	for i := range s.Frames {
		known.Add(w.config.Id, s, &s.Frames[i])
	}
}

// measure samples the process by turns in all ways, at a rate.
func (m *meter) measure(b *testing.B, ways []*way, rate, rounds int, d time.Duration) {
	b.Helper()
	for _, w := range ways {
		w.costs, w.samples, w.labelled, w.frames = nil, 0, 0, 0
	}
	if err := m.sampler.Start(trigger.Config{Rate: rate}); err != nil {
		b.Fatal(err)
	}
	defer m.sampler.Stop()
	for range rounds {
		for _, w := range ways {
			m.turn(b, w, d)
		}
	}
}

// more is what a sample that has labels costs in nanoseconds more than one that is taken the way of none: in the median
// round, and how far that may be off (standard error, by the median deviation, as of a normal distribution).
func (w *way) more(none *way) (ns, off float64) {
	var differences, deviations []float64
	for i := range min(len(w.costs), len(none.costs)) {
		differences = append(differences, w.costs[i]-none.costs[i])
	}
	middle := median(differences)
	for _, d := range differences {
		deviations = append(deviations, math.Abs(d-middle))
	}
	share := float64(w.labelled) / float64(max(w.samples, 1))
	off = 1.253 * 1.4826 * median(deviations) / math.Sqrt(float64(max(len(deviations), 1)))
	return middle / share, off / share
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
}
