package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// Config says which processes to profile, and how. Nothing that it refers to may change before the Agent is closed.
type Config struct {
	// Select says which processes are profiled.
	Select Selection
	// Rate is how many samples a second are taken on each CPU: 1 to the kernel's limit, see MaxRate.
	Rate int
	// Probes are sampled besides, so that each interval has a snapshot of the timer's samples and one of hits; where
	// Rate is 0, instead (docs/probes.md). Waits of at least OffCPU are sampled instead (docs/off-cpu.md). Neither goes
	// with CPUBudget, MemoryLimit and Change. Each probe, and waits, take ProbeLimit samples a second on each CPU at
	// most, 0 for 1,000. The probe stall goes alone: of the samples of the timer and of waits it keeps its hits.
	Probes     []string
	OffCPU     time.Duration
	Wall       bool // the timer's samples too, beside waits
	ProbeLimit int
	// Rules make labels from AsyncLocalStorage stores, besides the built-in rules. Labels selects the kinds of label.
	Rules  []reqctx.Rule
	Labels reqctx.Kinds
	// ContextIDs gives samples the label pprofx.ContextLabel, by which the npm package hotspan tells its contexts apart
	// while it takes a profile of its own process.
	ContextIDs bool
	// CPUBudget is the part of a core that this process and the BPF program may use, 0.01 for a hundredth: the rate is
	// lowered to keep it, and raised again up to Rate where there is room. 0 is any.
	CPUBudget float64
	// MemoryLimit bounds the anonymous memory of this process and the BPF maps, in bytes; 0 does not. It is kept by
	// garbage collections, smaller caches and tables, and a lower rate: where these are not enough, it is exceeded. It
	// sets the memory limit of Go's runtime. An Agent beside another one has TableBytes, the most bytes of its unwind
	// tables: its maps count apart, so that the other one does not lower its rate for them. 0 bounds none.
	MemoryLimit, TableBytes int64
	// Wait starts though none of the selected processes is running: those that start later are profiled.
	Wait bool
	// SnapshotEvery is the time that a snapshot covers; 0 makes one snapshot of the whole run. FollowClock has the next
	// snapshot follow the time of day where that was set meanwhile: it may overlap with the last one then.
	SnapshotEvery time.Duration
	FollowClock   bool
	// RingBytes is the size of the ring buffer between kernel and agent, a power of two and at least one page; 0 means
	// what the samples of a second take, 1 to 16 MiB.
	RingBytes int
	// Sinks receive each snapshot. Without sinks the Agent only counts.
	Sinks []Sink
	// NoSourceMaps keeps positions in the generated code: source maps are not applied.
	NoSourceMaps bool
	// RaisePriority runs this whole process at nice -10, but for what takes long and can wait: on a busy machine the
	// objects that a sample refers to still exist then when they are read. That needs CAP_SYS_NICE. This process also
	// runs one goroutine at a time then, and collects its garbage sooner.
	RaisePriority bool
	// Preload lists executables that are about to run. New reads them, so that no sample has to wait for them later.
	Preload []string
	// Begun is when the program began, from which the message about the first named sample counts; zero: when New did.
	Begun time.Time
	// FileCache is a directory for what is parsed of executable files, so that the next start need not parse them: at
	// most 256 MiB. It is made where it is missing, and not used if others could write to it; empty means none.
	FileCache string
	// JITCode keeps the machine code that samples are in; nil means nobody does.
	JITCode *jitcode.Recorder
	// Live passes samples on while they are taken; nil means that nobody can subscribe.
	Live *live.Feed
	// Log receives messages for the user; nil discards them.
	Log *slog.Logger
	// Run calls these on its own goroutine; nil means never. Sampling is called when samples are taken, OnCut then and
	// after each snapshot, with the counts so far and the number of processes, Progress before, and twice a second.
	Sampling func()
	OnCut    func(s Stats, processes int)
	Progress func(Progress)
}

// Sink receives snapshots. Each sink has a goroutine that calls Write, with a context that ends when the sink must
// stop. If Write is slow, snapshots of this sink alone are dropped, and counted. Write must not change a snapshot.
type Sink interface {
	Write(context.Context, *pprofx.Snapshot) error
	Name() string // for messages
}

// check fills in defaults and validates the rest.
func (c *Config) check() error {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Begun.IsZero() {
		c.Begun = time.Now()
	}
	c.RingBytes = cmp.Or(c.RingBytes, sampler.RingBytes(max(c.Rate, c.ProbeLimit), c.MemoryLimit))
	switch timed, limit := c.timed(), MaxRate(); {
	case !timed && (c.CPUBudget > 0 || c.MemoryLimit > 0):
		return errors.New("probes and waits have a limit of their own: no CPU budget and no memory limit")
	case len(c.Probes) > 0 && c.OffCPU > 0, c.OffCPU < 0, c.Wall && c.OffCPU == 0:
		return errors.New("either probes or time off the CPU, and that of a time above 0")
	case c.Rate < 1 && (timed || c.Wall):
		return fmt.Errorf("rate %d: at least 1 sample a second", c.Rate)
	case limit > 0 && c.Rate > limit:
		return fmt.Errorf("rate %d: this kernel allows at most %d (kernel.perf_event_max_sample_rate)", c.Rate, limit)
	case c.CPUBudget < 0 || min(c.MemoryLimit, c.TableBytes) < 0:
		return fmt.Errorf("CPU budget %v, memory %d, tables %d: not negative", c.CPUBudget, c.MemoryLimit, c.TableBytes)
	case c.SnapshotEvery < 0:
		return fmt.Errorf("snapshots every %v: a time must not be negative", c.SnapshotEvery)
	case c.RingBytes < 0 || c.RingBytes > 1<<30 || bits.OnesCount(uint(c.RingBytes)) != 1:
		return fmt.Errorf("ring buffer of %d bytes: a power of two of at most 1 GiB", c.RingBytes)
	case slices.Contains(c.Sinks, nil):
		return errors.New("a sink is nil")
	}
	return c.Select.check()
}

// timed reports whether all samples are of the timer; both, whether it runs beside probes or waits.
func (c *Config) timed() bool { return len(c.Probes) == 0 && c.OffCPU == 0 }
func (c *Config) both() bool  { return c.Wall || len(c.Probes) > 0 && c.Rate > 0 }

// measures are what samples count.
func (c *Config) measures() []pprofx.Measure {
	return trigger.Measures(c.Probes, c.OffCPU > 0, c.both())
}

// Errors of New, besides those of the system.
var (
	// ErrNoProcess says that none of the selected processes is running.
	ErrNoProcess = errors.New("no Node.js process to profile")
	// ErrNotNode says that a process does not run V8.
	ErrNotNode = process.ErrNotNode
	// ErrGone says that a process has ended.
	ErrGone  = process.ErrGone
	errCrowd = errors.New("too many processes start at a time")
)

// MaxRate returns the highest sample rate that the kernel allows, in samples per second and CPU; 0 if the kernel does
// not report one.
func MaxRate() int { return trigger.MaxRate() }
