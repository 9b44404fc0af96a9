package walk

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
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
	r := &memory.Recorder{Mem: memory.Live{PID: w.process.PID}}
	k := &kernelWalk{program: p, thread: &thread{mem: r, regs: regs, layout: w.process.Layout},
		sampler: sampler.New(&p.Objects), noCode: true}
	recorded := *w.process
	recorded.Memory = r
	k.use(w.tree, &recorded)
	if w.published {
		k.labels.FindPublished(time.Now())
	}
	k.record(b, r)
	with := k.once(b, r.Pages)
	*k.config = bpf.Process{V8: k.config.V8, Id: k.config.Id, StoreLabel: bpf.NoLabel}
	without := k.once(b, r.Pages)
	return with.nReads - without.nReads, len(with.labels) > 0 && !with.collecting && !with.flags.Unreadable
}
