// Package budget keeps an agent within a CPU time and a memory. Controller decides, by numbers alone; what measures
// them is beside it.
package budget

import (
	"math"
	"time"
)

// Limits are what an agent may take.
type Limits struct {
	Rate   int     // samples a second on each CPU that are wanted
	CPU    float64 // of one core, 0.01 for a hundredth; 0 = any
	Memory int64   // bytes; 0 = any
}

// Use is what an agent has taken.
type Use struct {
	At     time.Duration // on any clock that does not jump
	CPU    time.Duration // since the agent began, of its own threads and of its BPF program
	Rated  time.Duration // of this, what grows with the rate: taking samples and handling them
	Memory int64         // bytes it has now: anonymous memory and BPF maps
	Needed int64         // bytes of these that it cannot do without: not garbage, nor what the heap keeps free
}

// State is how an agent samples.
type State struct {
	Rate int // samples a second on each CPU
	// Saving is how coarse the means against a lack of memory are: 0 none, 1 caches are emptied and tables have a
	// quarter of their size, from 2 on a sixteenth. From 3 on each step halves the rate, too.
	Saving int
	Load   float64 // CPU of a core that the last window took
	Held   bool    // the CPU budget is exceeded by what does not grow with the rate, which is not lowered for that
	// Collect asks for a garbage collection, and to empty caches if Saving is not 0: the memory may be waste.
	Collect bool
}

// MaxSaving is the most that State.Saving can be, fullRate the most with which the rate is not lowered.
const (
	MaxSaving = 5
	fullRate  = 2
)

const (
	beginning = 3    // windows after a start or a change of limits that do not count: much is read for the first time
	rest      = 6    // windows until a higher rate may be tried again, after one that was too high
	longRest  = 360  // the most that this becomes, as it doubles each time
	leave     = 0.9  // share of the budget that a lowered rate aims at
	room      = 0.8  // share of the budget that a raised rate may take, by what the present one does
	most      = 4    // by which one step lowers the rate
	patch     = 3    // windows after which a rate may be raised
	reserved  = 0.25 // share of the budget that samples may take, whatever all else takes
	high      = 0.9  // share of the memory that is needed, beyond which it is short
	low       = 0.75 // share below which it is not
	again     = 6    // windows after which garbage is collected again while memory is short
	calm      = 6    // windows below that after which less is saved
)

// settling is how long after a start no window counts, however short they are: files are read, and nearly all stacks
// are new.
const settling = 15 * time.Second

// Controller decides how an agent samples. Call Next in regular windows of some seconds. It is not safe for concurrent
// use.
type Controller struct {
	limits Limits
	last   Use
	begun  bool
	skip   int           // windows that do not count
	since  time.Duration // from when on windows count
	loads  []load        // of the last windows with the present rate
	byCPU  int           // the rate that the CPU budget leaves
	trying bool          // the present rate is a trial
	rest   int           // windows until the next one
	pause  int           // what that was last
	short  int           // windows in a row in which memory was short
	calm   int           // windows in a row in which it was not
	state  State
}

// load is what a window took, in CPU of a core: all of it, and what of this grows with the rate.
type load struct{ all, rated float64 }

// New returns a Controller for an agent that begins with the rate of the limits.
func New(l Limits) *Controller {
	c := &Controller{}
	c.SetLimits(l)
	return c
}

// SetLimits changes the limits. Another rate counts at once.
func (c *Controller) SetLimits(l Limits) {
	if l.Rate != c.limits.Rate {
		c.byCPU = l.Rate
	}
	c.limits, c.skip, c.loads = l, beginning, nil
	c.trying, c.rest, c.pause = false, 0, rest
	c.state.Held = false
	c.decide()
}

// State returns how to sample.
func (c *Controller) State() State { return c.state }

// Next takes what the agent has used up to now, and returns how to sample from now on.
func (c *Controller) Next(u Use) State {
	if c.begun && u.At > c.last.At {
		window := float64(u.At - c.last.At)
		l := load{float64(u.CPU-c.last.CPU) / window, float64(u.Rated-c.last.Rated) / window}
		c.state.Load = l.all
		c.cpu(u.At, l)
	} else if !c.begun {
		c.since = u.At + settling
	}
	c.last, c.begun = u, true
	c.memory(u)
	c.decide()
	return c.state
}

// cpu takes the load of a window that has ended. Two in a row above the budget lower the rate: one alone may be the
// start of a process. Three in a row that leave enough room for more raise it.
func (c *Controller) cpu(now time.Duration, l load) {
	if c.limits.CPU <= 0 {
		c.byCPU = c.limits.Rate
		return
	}
	if c.skip > 0 || now < c.since {
		c.skip = max(c.skip-1, 0)
		return
	}
	c.rest = max(c.rest-1, 0)
	c.loads = append(c.loads, l)
	n := len(c.loads)
	if n >= 2 && c.reduce(c.loads[n-2], l) {
		return
	}
	if n >= patch {
		c.loads = c.loads[n-patch:]
		c.raise()
	}
}

// reduce lowers the rate if two windows in a row were above the budget, as far as the cheaper of them needs.
func (c *Controller) reduce(before, last load) bool {
	exceeded := min(before.all, last.all) > c.limits.CPU
	share := max(c.share(before, leave), c.share(last, leave))
	c.state.Held = exceeded && share >= 1
	if !exceeded || c.state.Held || c.state.Rate == 1 {
		return false
	}
	c.byCPU = lower(c.state.Rate, share)
	if c.trying {
		c.trying, c.rest, c.pause = false, c.pause, min(2*c.pause, longRest)
	}
	return true
}

// share returns by what the rate of a window may be multiplied so that all takes a part of the budget. What does not
// grow with the rate may take all of that, and more: what is reserved for samples is left.
func (c *Controller) share(l load, part float64) float64 {
	return max(part*c.limits.CPU-(l.all-l.rated), reserved*c.limits.CPU) / l.rated
}

// raise raises the rate if there is room for what a higher one takes at most: all of the load may grow with it. If
// there is room only for what is known to grow, it is tried.
func (c *Controller) raise() {
	if c.trying {
		c.trying, c.rest, c.pause = false, 0, rest
	}
	if c.byCPU >= c.limits.Rate {
		return
	}
	next := min(c.limits.Rate, higher(c.byCPU))
	grows := float64(next) / float64(c.state.Rate)
	certain, fits := true, c.rest == 0
	for _, l := range c.loads {
		certain = certain && l.all*grows < room*c.limits.CPU
		fits = fits && grows < c.share(l, room)
	}
	if certain || fits {
		c.byCPU, c.trying = next, !certain
	}
}

// lower returns the rate times share, at least 1 and less than the rate.
func lower(rate int, share float64) int {
	next := int(math.Max(share, 1.0/most) * float64(rate))
	return unlike(max(1, min(next, rate-1)))
}

// higher returns about one and a half times a rate.
func higher(rate int) int {
	next := rate + rate/2 + 1
	for inStep(next) {
		next++
	}
	return next
}

// unlike returns the highest rate up to r that is not in step with others.
func unlike(r int) int {
	for r > 1 && inStep(r) {
		r--
	}
	return r
}

// inStep reports whether a rate is a multiple of two or five: timers with periods of milliseconds are common, and
// samples must not keep their step.
func inStep(rate int) bool { return rate%2 == 0 || rate%5 == 0 }

// memory takes the memory at the end of a window. When it is short the first time, waste is collected; then more is
// saved with each window, and less after many without need. The rate is lowered only beyond the limit.
func (c *Controller) memory(u Use) {
	c.state.Collect = false
	if c.limits.Memory <= 0 {
		c.short, c.calm, c.state.Saving = 0, 0, 0
		return
	}
	beyond := u.Memory > c.limits.Memory
	share := float64(u.Needed) / float64(c.limits.Memory)
	if !beyond && share <= high {
		c.short = 0
	} else {
		c.short++
		c.state.Collect = c.short%again == 1
	}
	switch {
	case beyond && c.state.Saving < MaxSaving, c.short > 1 && c.state.Saving < fullRate:
		c.state.Saving, c.calm, c.state.Collect = c.state.Saving+1, 0, true
	case share < low, !beyond && c.state.Saving > fullRate:
		if c.calm++; c.calm >= calm {
			c.state.Saving, c.calm = max(c.state.Saving-1, 0), 0
		}
	default:
		c.calm = 0
	}
}

// decide sets the rate by both limits. What was measured at another rate does not count.
func (c *Controller) decide() {
	rate := max(1, min(c.byCPU, unlike(max(1, c.limits.Rate>>max(0, c.state.Saving-fullRate)))))
	if c.state.Saving <= fullRate {
		rate = max(1, min(c.byCPU, c.limits.Rate))
	}
	if rate != c.state.Rate {
		c.state.Rate, c.loads = rate, nil
	}
}
