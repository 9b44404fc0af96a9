// Package selfcheck compares the V8 layout of each binary with a process that runs it, while processes are sampled. It
// warns of what does not fit, and says what cannot be relied on: hotspan tries an unknown V8 and does not refuse it.
package selfcheck

import (
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

// How long after sampling begins a process is compared: the first samples come first, and a V8 that has just started
// has little to compare with.
const (
	Running = 300 * time.Millisecond // a process that ran before
	Started = 3 * time.Second        // one that has just started
)

const (
	// confirmAfter is how long after a comparison that failed it is made again. Only what is wrong both times counts:
	// the process may have been starting, or calling execve.
	confirmAfter = time.Second
	// restFactor is how much longer than a comparison the pause after it is, up to maxRest: they take 5 % of a CPU.
	restFactor = 20
	maxRest    = time.Second
	// maxFailed is how many processes of a binary are tried if none can be compared, as with another C library.
	maxFailed = 3
)

// Checks compares one process after the other, on goroutines of its own, which exist only while a comparison is due. It
// compares the whole layout with the first process of a binary, and takes a short look at each of the others. A Layout
// stands for its binary. It is safe for concurrent use.
type Checks struct {
	log *slog.Logger
	off func(*process.Process, verify.Parts)
	one sync.Mutex // held while a process is compared

	mu       sync.Mutex // protects what follows
	waiting  map[*process.Process]*time.Timer
	binaries map[*layout.Layout]*binary
}

// binary is what is known of the layout of one binary.
type binary struct {
	processes int          // that were added and not removed
	right     bool         // in one process at least: where it is not, that process is odd, which anybody can start
	wrong     bool         // in one, and that was said
	off       verify.Parts // while it is right in none: what was wrong in those compared
	failed    int          // processes that could not be compared
}

// New makes Checks that log to a logger. Each comparison calls off with what cannot be relied on in the process, which
// may be nothing, and which the next may take back. off is called on goroutines of Checks, and must not call them.
func New(log *slog.Logger, off func(*process.Process, verify.Parts)) *Checks {
	return &Checks{
		log: log, off: off, waiting: map[*process.Process]*time.Timer{}, binaries: map[*layout.Layout]*binary{},
	}
}

// Add has a process compared after some time.
func (c *Checks) Add(p *process.Process, after time.Duration) {
	if !p.HasV8() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.binaries[p.Layout]
	if b == nil {
		b = &binary{}
		c.binaries[p.Layout] = b
	}
	b.processes++
	c.schedule(p, after, func() { c.first(p, b) })
}

// Off says what cannot be relied on in processes with a layout, as far as comparisons have shown.
func (c *Checks) Off(l *layout.Layout) verify.Parts {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.binaries[l]; b != nil {
		return b.off
	}
	return 0
}

// Remove forgets a process: nothing is said of it any more. What is known of a binary is forgotten with its last
// process.
func (c *Checks) Remove(p *process.Process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := c.waiting[p]
	if timer == nil {
		return
	}
	timer.Stop()
	delete(c.waiting, p)
	b := c.binaries[p.Layout]
	if b.processes--; b.processes == 0 {
		delete(c.binaries, p.Layout)
	}
}

// Sizes are the names and sizes of caches, to be logged: the binaries of which something is known.
func (c *Checks) Sizes() []any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return []any{"compared binaries", len(c.binaries)}
}

// Close forgets all processes.
func (c *Checks) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, timer := range c.waiting {
		timer.Stop()
	}
	clear(c.waiting)
	clear(c.binaries)
}

// schedule has a comparison run after some time, unless the process is removed before. The caller holds mu.
func (c *Checks) schedule(p *process.Process, after time.Duration, compare func()) {
	c.waiting[p] = time.AfterFunc(after, func() {
		c.one.Lock()
		defer c.one.Unlock()
		if !c.known(p) {
			return
		}
		start := time.Now()
		inBackground(compare)
		time.Sleep(min(restFactor*time.Since(start), maxRest))
	})
}

func inBackground(compare func()) {
	defer priority.Background()()
	compare()
}

// known reports whether a process has been added and not removed.
func (c *Checks) known(p *process.Process) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[p] != nil
}

// first compares a process for the first time.
func (c *Checks) first(p *process.Process, b *binary) {
	if b.failed >= maxFailed || b.right && fits(p) {
		c.off(p, c.Off(p.Layout))
		return
	}
	result, err := p.Verify()
	if gone(p) {
		return
	}
	if err != nil {
		c.off(p, 0)
		b.failed++
		c.log.Debug("layout not compared with the process", "pid", p.PID, "why", err)
		return
	}
	if len(result.Wrong) == 0 {
		if !result.Partly { // else the next process of the binary is compared
			c.tell(p, b, result)
		}
		return
	}
	c.off(p, result.Off) // until it is confirmed or not
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[p] != nil {
		c.schedule(p, confirmAfter, func() { c.confirm(p, b) })
	}
}

// gone reports whether a process has ended, or runs another program, and the agent has not heard of it: what was
// compared then may be nothing, or memory of the other program, and says nothing of this one or of its binary.
func gone(p *process.Process) bool { return p.Ended() || p.Executed() }

// fits takes a short look at a process of a binary whose layout is right.
func fits(p *process.Process) bool {
	result, err := p.VerifyShortly()
	return err != nil || len(result.Wrong) == 0
}

// confirm compares a process again of which something was wrong. What cannot be compared now stays off.
func (c *Checks) confirm(p *process.Process, b *binary) {
	result, err := p.Verify()
	if c.known(p) && !gone(p) && err == nil && (len(result.Wrong) > 0 || !result.Partly) {
		c.tell(p, b, result)
	}
}

// tell tells of what a comparison has shown, and logs what is wrong, once for a binary.
func (c *Checks) tell(p *process.Process, b *binary, result verify.Result) {
	for _, affected := range c.affected(p, b, result) {
		c.off(affected, result.Off)
	}
	c.log.Debug("layout compared with the process", "pid", p.PID,
		"right", len(result.Fields), "wrong", len(result.Wrong))
	if b.wrong || len(result.Wrong) == 0 {
		return
	}
	b.wrong = true
	c.log.Warn("the layout of V8 "+p.Layout.V8.String()+" does not match this process, "+result.Off.String()+
		" are left out", "pid", p.PID, "why", strings.Join(result.Wrong, "; "))
}

// affected returns of which processes a comparison with one tells: of that one, and if the layout is right in none so
// far, of the others of its binary, until each has been compared itself.
func (c *Checks) affected(p *process.Process, b *binary, result verify.Result) []*process.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []*process.Process{p}
	switch {
	case len(result.Wrong) == 0:
		b.right, b.off = true, 0
	case !b.right:
		b.off |= result.Off
		for other := range c.waiting {
			if result.Off != 0 && other != p && other.Layout == p.Layout {
				all = append(all, other)
			}
		}
	}
	return all
}
