package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"time"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// Config says what to profile and what to do with it. What it refers to must not change while the Agent lives.
type Config struct {
	// Select says which processes are profiled.
	Select Selection
	// Rate is how many samples a second are taken on each CPU: 1 to the kernel's limit, see MaxRate.
	Rate int
	// Rules make labels of stores, beside the built-in ones. Labels says which kinds of label are wanted.
	Rules  []reqctx.Rule
	Labels reqctx.Kinds
	// SnapshotEvery is the length of a snapshot; 0 makes one snapshot of the whole time.
	SnapshotEvery time.Duration
	// RingBytes is the size of the ring buffer between kernel and agent, a power of two from a page on; 0 is 16 MiB.
	RingBytes int
	// Sinks get each snapshot. None makes an Agent that only counts.
	Sinks []Sink
	// NoSourceMaps leaves the positions of the code that runs.
	NoSourceMaps bool
	// RaisePriority lets the threads that read samples run before others, at nice -10, so that on a busy machine what
	// samples refer to is still there when it is read. It takes CAP_SYS_NICE, without which it does nothing.
	RaisePriority bool
	// Preload are executables that are about to run: what is read of them in New delays no sample then.
	Preload []string
	// Log is told what a user should know; nil is nobody.
	Log *slog.Logger
	// Progress is called about twice a second by Run's goroutine; nil is not.
	Progress func(Progress)
}

// Sink takes snapshots. Write is called from one goroutine a sink, with a context that ends when the sink has to; it
// may be slow: then snapshots of its own are lost, counted, and no others. A snapshot must not be changed.
type Sink interface {
	Write(context.Context, *pprofx.Snapshot) error
	Name() string // for messages
}

const defaultRingBytes = 16 << 20

// trigger is what makes the BPF program take samples.
func (c *Config) trigger() trigger.Config { return trigger.Config{Rate: c.Rate} }

// check fills in defaults and refuses nonsense.
func (c *Config) check() error {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.RingBytes = cmp.Or(c.RingBytes, defaultRingBytes)
	limit := MaxRate()
	switch {
	case c.Rate < 1:
		return fmt.Errorf("rate %d: at least 1 sample a second", c.Rate)
	case limit > 0 && c.Rate > limit:
		return fmt.Errorf("rate %d: this kernel allows at most %d (kernel.perf_event_max_sample_rate)", c.Rate, limit)
	case c.SnapshotEvery < 0:
		return fmt.Errorf("snapshots every %v: a time must not be negative", c.SnapshotEvery)
	case c.RingBytes < 0 || c.RingBytes > 1<<30 || bits.OnesCount(uint(c.RingBytes)) != 1:
		return fmt.Errorf("ring buffer of %d bytes: a power of two of at most 1 GiB", c.RingBytes)
	}
	for _, pid := range c.Select.PIDs {
		if pid <= 0 {
			return fmt.Errorf("process %d: %w", pid, ErrGone)
		}
	}
	for _, s := range c.Sinks {
		if s == nil {
			return errors.New("a sink is nil")
		}
	}
	return nil
}

// Errors of New, beside those of the system.
var (
	// ErrNoProcess says that no process is running that was selected.
	ErrNoProcess = errors.New("no Node.js process to profile")
	// ErrNotNode says that a process does not run V8.
	ErrNotNode = process.ErrNotNode
	// ErrGone says that a process has ended.
	ErrGone = process.ErrGone
)

// MaxRate is the highest rate that the kernel allows, in samples a second; 0 if it does not say.
func MaxRate() int { return trigger.MaxRate() }
