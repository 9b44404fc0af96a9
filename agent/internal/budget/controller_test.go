package budget

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// meter is an agent that takes fixed CPU time and some for each sample, and memory.
type meter struct {
	c      *Controller
	u      Use
	fixed  float64 // of a core
	sample float64 // of a core, for each hertz
	hidden float64 // the same, which is not known to be for samples
	memory func(s State) int64
	waste  int64 // of memory
}

// run passes windows of ten seconds and returns the rates that changed.
func (m *meter) run(windows int) (rates []int) {
	for range windows {
		before := m.c.State().Rate
		m.u.At += 10 * time.Second
		m.u.CPU += time.Duration(10e9 * (m.fixed + (m.sample+m.hidden)*float64(before)))
		m.u.Rated += time.Duration(10e9 * m.sample * float64(before))
		if m.memory != nil {
			m.u.Needed = m.memory(m.c.State())
			m.u.Memory = m.u.Needed + m.waste
		}
		if s := m.c.Next(m.u); s.Rate != before {
			rates = append(rates, s.Rate)
		}
	}
	return rates
}

func (m *meter) load() float64 { return m.fixed + m.sample*float64(m.c.State().Rate) }

// What samples cost is brought below the budget, stays there, and is given back when there is room.
func TestCPUBudget(t *testing.T) {
	m := &meter{c: New(Limits{Rate: 99, CPU: 0.01}), sample: 0.00025} // 2.5 % at 99 Hz
	m.run(12)
	if m.load() > 0.01 || m.c.State().Rate < 20 {
		t.Errorf("%d Hz take %v of a core", m.c.State().Rate, m.load())
	}
	if changes := m.run(1000); len(changes) > 0 {
		t.Errorf("the rate goes up and down: %v", changes)
	}
	m.sample = 0.00002 // the service is idle
	m.run(30)
	if got := m.c.State().Rate; got != 99 {
		t.Errorf("%d Hz with room for all", got)
	}
	m.sample = 0.01 // a hundred times what is left
	m.run(20)
	if got := m.c.State().Rate; got != 1 {
		t.Errorf("%d Hz, want the least", got)
	}
}

// The rate is not lowered for what does not grow with it, and samples keep their part of the budget.
func TestFixedCost(t *testing.T) {
	m := &meter{c: New(Limits{Rate: 99, CPU: 0.01}), fixed: 0.02, sample: 1e-6}
	m.run(100)
	if s := m.c.State(); s.Rate != 99 || !s.Held {
		t.Errorf("%+v", s)
	}
	m.sample = 0.001
	m.run(100)
	if s := m.c.State(); s.Rate > 5 {
		t.Errorf("samples are dear: %+v", s)
	}
	m.fixed, m.sample = 0, 0
	m.run(100)
	if s := m.c.State(); s.Rate != 99 || s.Held {
		t.Errorf("afterwards: %+v", s)
	}
}

// What goes up and down beside the samples, such as processes that start, leaves them their part.
func TestUneven(t *testing.T) {
	m := &meter{c: New(Limits{Rate: 99, CPU: 0.01}), sample: 0.00003} // 0.3 % at 99 Hz
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		m.fixed = 0.04 * random.Float64()
		m.run(1)
		if got := m.c.State().Rate; got < 81 {
			t.Fatalf("%d Hz, which take %v of a core, where 0.25 %% are theirs", got, m.sample*float64(got))
		}
	}
}

// A rate that was lowered to the least comes back, though the rest of the load leaves no room for one of three times as
// much. What is tried in vain is tried seldom.
func TestRoomForSome(t *testing.T) {
	m := &meter{c: New(Limits{Rate: 99, CPU: 0.01}), fixed: 0.004, sample: 0.01}
	m.run(20)
	if got := m.c.State().Rate; got != 1 {
		t.Errorf("%d Hz while samples are dear", got)
	}
	m.sample = 0.00003
	m.run(60)
	if got := m.c.State().Rate; got != 99 {
		t.Errorf("%d Hz, which take %v of a core, with room for all", got, m.load())
	}
	m.fixed, m.sample, m.hidden = 0.0025, 0.0009, 0.0022 // 0.56 % at 1 Hz, 1.18 % at 3 Hz, where 0.74 % is expected
	m.run(100)
	if changes := m.run(1000); len(changes) == 0 || len(changes) > 8 {
		t.Errorf("the rate goes up and down: %v", changes)
	}
}

// What hotspan reads after its start takes longer than three short windows, and lowers nothing.
func TestSettling(t *testing.T) {
	c := New(Limits{Rate: 99, CPU: 0.01})
	u := Use{At: time.Minute}
	for range 15 {
		c.Next(u)
		u.At, u.CPU, u.Rated = u.At+time.Second, u.CPU+100*time.Millisecond, u.Rated+100*time.Millisecond
	}
	for range 30 {
		if s := c.Next(u); s.Rate != 99 {
			t.Fatalf("%v after the start: %+v", u.At-time.Minute, s)
		}
		u.At, u.CPU = u.At+time.Second, u.CPU+time.Millisecond
	}
	for range 3 {
		u.At, u.CPU, u.Rated = u.At+time.Second, u.CPU+100*time.Millisecond, u.Rated+100*time.Millisecond
		c.Next(u)
	}
	if s := c.State(); s.Rate == 99 {
		t.Errorf("%+v", s)
	}
}

// One window with a burst lowers nothing, nor does the start.
func TestBursts(t *testing.T) {
	m := &meter{c: New(Limits{Rate: 99, CPU: 0.01}), fixed: 0.3}
	m.run(beginning + 1)
	m.fixed = 0.005
	if changes := m.run(3); len(changes) > 0 {
		t.Errorf("the start lowers the rate: %v", changes)
	}
	for range 5 {
		m.fixed = 0.5
		m.run(1)
		m.fixed = 0.005
		if changes := m.run(2); len(changes) > 0 {
			t.Errorf("a burst changes the rate: %v", changes)
		}
	}
}

// without returns a state without its load.
func without(s State) State {
	s.Load = 0
	return s
}

func TestNoLimits(t *testing.T) {
	m := &meter{c: New(Limits{Rate: 99}), sample: 1, memory: func(State) int64 { return 1 << 40 }}
	if changes := m.run(50); len(changes) > 0 || without(m.c.State()) != (State{Rate: 99}) {
		t.Errorf("%v: %+v", changes, m.c.State())
	}
}

// Other limits count at once, and what was measured before does not.
func TestSetLimits(t *testing.T) {
	m := &meter{c: New(Limits{Rate: 99, CPU: 0.01}), sample: 0.001}
	m.run(30)
	m.c.SetLimits(Limits{Rate: 49, CPU: 0.01})
	if got := m.c.State().Rate; got != 49 {
		t.Errorf("%d Hz, want those of the new limits", got)
	}
	m.run(30)
	low := m.c.State().Rate
	m.c.SetLimits(Limits{Rate: 49, CPU: 0.02})
	if got := m.c.State().Rate; got != low || low > 10 {
		t.Errorf("%d Hz, then %d: the same rate is wanted", low, got)
	}
	m.c.SetLimits(Limits{Rate: 49})
	m.run(1)
	if got := m.c.State().Rate; got != 49 {
		t.Errorf("%d Hz without a budget", got)
	}
}

// Memory is saved step by step until it is enough, and no further; then less.
func TestMemoryLimit(t *testing.T) {
	needs := func(base int64) func(State) int64 {
		return func(s State) int64 { return base - int64(s.Saving)<<20*20 }
	}
	m := &meter{c: New(Limits{Rate: 99, Memory: 100 << 20}), memory: needs(60 << 20)}
	m.run(20)
	if s := without(m.c.State()); s != (State{Rate: 99}) {
		t.Errorf("with room: %+v", s)
	}
	m.waste = 38 << 20 // below the limit
	m.run(20)
	if s := without(m.c.State()); s != (State{Rate: 99}) {
		t.Errorf("with waste that can be collected: %+v", s)
	}
	m.waste, m.memory = 0, needs(95<<20)
	m.run(1)
	if s := without(m.c.State()); s != (State{Rate: 99, Collect: true}) {
		t.Errorf("short for the first time: %+v", s)
	}
	m.run(20)
	if s := without(m.c.State()); s != (State{Rate: 99, Saving: 1}) {
		t.Errorf("short: %+v", s)
	}
	m.memory = func(State) int64 { return 98 << 20 }
	m.run(20)
	if s := m.c.State(); s.Saving != fullRate || s.Rate != 99 {
		t.Errorf("short, but within the limit: %+v", s)
	}
	m.memory = needs(190 << 20)
	m.run(20)
	if s := m.c.State(); s.Saving != MaxSaving || s.Rate != 11 {
		t.Errorf("out of memory: %+v", s)
	}
	m.memory = needs(60 << 20)
	m.run(calm * MaxSaving)
	if s := without(m.c.State()); s != (State{Rate: 99}) {
		t.Errorf("with room again: %+v", s)
	}
}

func TestUnlike(t *testing.T) {
	for r, want := range map[int]int{100: 99, 99: 99, 50: 49, 45: 43, 20: 19, 5: 3, 2: 1, 1: 1} {
		if got := unlike(r); got != want {
			t.Errorf("%d: %d, want %d", r, got, want)
		}
	}
}

func TestCPUOf(t *testing.T) {
	spun := CPUOf(func() {
		for end := OwnCPU() + 20*time.Millisecond; OwnCPU() < end; {
		}
	})
	if slept := CPUOf(func() { time.Sleep(50 * time.Millisecond) }); spun < 20*time.Millisecond || slept > spun/2 {
		t.Errorf("%v of CPU, and %v for a sleep", spun, slept)
	}
}

func TestOwn(t *testing.T) {
	cpu := OwnCPU()
	for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
	}
	if more := OwnCPU(); cpu <= 0 || more <= cpu {
		t.Errorf("%v, then %v of CPU", cpu, more)
	}
	debug.FreeOSMemory()
	before := OwnMemory()
	b := make([]byte, 32<<20)
	for i := range b {
		b[i] = 1
	}
	runtime.GC()
	after := OwnMemory()
	if after.Anonymous-before.Anonymous < 24<<20 || after.Needed-before.Needed < 24<<20 ||
		after.Peak < after.Anonymous || b[len(b)-1] != 1 {
		t.Errorf("%+v, then %+v", before, after)
	}
	runtime.GC()
	runtime.GC()
	last := OwnMemory()
	for end := time.Now().Add(5 * time.Second); last.Needed < 1<<20 && time.Now().Before(end); last = OwnMemory() {
		time.Sleep(time.Millisecond) // the runtime has returned memory and not counted it yet
	}
	if after.Needed-last.Needed < 24<<20 || last.Needed < 1<<20 {
		t.Errorf("%+v, then without garbage %+v", after, last)
	}
	if limit := after.HeapLimit(1 << 30); limit != 1<<30*95/100 {
		t.Errorf("limit %d", limit)
	}
	if limit := after.HeapLimit(1 << 20); limit != after.runtime || limit < after.Needed {
		t.Errorf("limit %d", limit)
	}
}
