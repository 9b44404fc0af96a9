package agent

import (
	"log/slog"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
	memory "github.com/hotspan/hotspan/v8/target"
)

// How often a thread is stopped to count, and how many of these stops must have had labels.
const (
	maxStops    = 200
	enoughStops = 15
)

// reads is how many reads of the process's memory the labels of a sample take, in the median of several stops of the
// thread that has most of them. In collections, when it is read twice, it is not counted.
func (w *way) reads(b *testing.B, p *bpftest.Program) float64 {
	b.Helper()
	thread, most := 0, 0
	for tid, n := range w.threads {
		if n > most {
			thread, most = int(tid), n
		}
	}
	var counts []float64
	for i := 0; i < maxStops && most > 0 && len(counts) < enoughStops; i++ {
		time.Sleep(3 * time.Millisecond)
		if n, ok := w.stop(b, p, thread); ok {
			counts = append(counts, float64(n))
		}
	}
	return median(counts)
}

// stop stops a thread for a moment and counts; ok is false where it has no labels.
func (w *way) stop(b *testing.B, p *bpftest.Program, tid int) (n int, ok bool) {
	b.Helper()
	regs := seize(b, tid)
	defer unix.PtraceDetach(tid)
	r := &memory.Recorder{Mem: memory.Live{PID: w.target.pid}}
	k := &kernelWalk{program: p, thread: &thread{mem: r, regs: regs, layout: w.target.space.Layout()}}
	k.agent = &Agent{log: slog.New(slog.DiscardHandler), sampler: sampler.New(&p.Objects), builder: pprofx.NewBuilder(0, 1)}
	k.useTree(w.agent.tree)
	k.target.published = w.target.published
	k.target.config.Published, k.target.config.N_published = w.target.config.Published, w.target.config.N_published
	k.record(b, r)
	with := k.once(b, r.Pages)
	*k.target.config = bpf.Process{V8: k.target.config.V8, Id: k.target.config.Id, StoreLabel: bpf.NoLabel}
	without := k.once(b, r.Pages)
	return with.nReads - without.nReads, len(with.labels) > 0 && !with.collecting && !with.flags.unreadable
}
