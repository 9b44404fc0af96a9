// Package budget keeps an agent within a CPU time and a memory. Controller decides, by numbers alone; what measures
// them is beside it.
package budget

import (
	"math"
	"slices"
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
	Held   bool    // the CPU budget is exceeded by what does not depend on the rate, which is not lowered for that
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
	little    = 0.1  // share of the load that samples take, below which a lower rate is of no use
	grown     = 1.5  // by which a load must have grown for a lower rate to be tried again
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
	loads  []float64     // CPU of a core in the last windows with the present rate
	byCPU  int           // the rate that the CPU budget leaves
	before point         // when it was lowered last
	trying bool          // the present rate is a trial
	rest   int           // windows until the next one
	pause  int           // what that was last
	short  int           // windows in a row in which memory was short
	calm   int           // windows in a row in which it was not
	state  State
}

// point is what a rate took.
type point struct {
	rate int
	load float64
}

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
	c.limits, c.skip, c.loads, c.before = l, beginning, nil, point{}
	c.trying, c.rest, c.pause = false, 0, rest
	c.state.Held = false
	c.decide()
}

// State returns how to sample.
func (c *Controller) State() State { return c.state }

// Next takes what the agent has used up to now, and returns how to sample from now on.
func (c *Controller) Next(u Use) State {
	if c.begun && u.At > c.last.At {
		c.state.Load = float64(u.CPU-c.last.CPU) / float64(u.At-c.last.At)
		c.cpu(u.At, c.state.Load)
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
func (c *Controller) cpu(now time.Duration, load float64) {
	if c.limits.CPU <= 0 {
		c.byCPU = c.limits.Rate
		return
	}
	if c.skip > 0 || now < c.since {
		c.skip = max(c.skip-1, 0)
		return
	}
	c.rest = max(c.rest-1, 0)
	c.loads = append(c.loads, load)
	if n := len(c.loads); n > patch {
		c.loads = c.loads[n-patch:]
	}
	if n := len(c.loads); n >= 2 {
		least := min(c.loads[n-1], c.loads[n-2])
		c.state.Held = least > c.limits.CPU && c.fixed(least)
		if least > c.limits.CPU && c.state.Rate > 1 && !c.state.Held {
			c.before = point{c.state.Rate, least}
			c.byCPU = lower(c.state.Rate, c.limits.CPU*leave/least)
			if c.trying {
				c.trying, c.rest, c.pause = false, c.pause, min(2*c.pause, longRest)
			}
			return
		}
	}
	if len(c.loads) == patch {
		c.raise()
	}
}

// raise raises the rate if there is room for what a higher one takes at most: all of the load may grow with it. If
// there is room for less, as where part of the load does not depend on the rate, it is tried.
func (c *Controller) raise() {
	if c.trying {
		c.trying, c.rest, c.pause = false, 0, rest
	}
	if c.byCPU >= c.limits.Rate {
		return
	}
	next := min(c.limits.Rate, higher(c.byCPU))
	load, left := slices.Max(c.loads), c.limits.CPU*room
	certain := load*float64(next) < left*float64(c.state.Rate)
	if certain || load < left && c.rest == 0 {
		c.byCPU, c.before, c.trying = next, point{}, !certain
	}
}

// fixed reports whether nearly all of a load does not depend on the rate: the last lower rate has changed little. One
// that has grown much since is another.
func (c *Controller) fixed(load float64) bool {
	b := c.before
	if b.rate <= c.state.Rate || load > b.load*grown {
		return false
	}
	ofSamples := (b.load - load) / float64(b.rate-c.state.Rate) * float64(c.state.Rate)
	return ofSamples < load*little
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
