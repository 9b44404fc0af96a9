package walk

import (
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// kernelWalk is the BPF program, ready to walk one thread and to read its context.
type kernelWalk struct {
	program *bpftest.Program
	sampler *sampler.Sampler
	thread  *thread
	config  *bpf.Process
	learner *labels.Learner
	labels  *labels.Process
	noCode  bool // no code is known to the BPF program, which walks no frame of V8's

	notCompared int // walks that same has not compared
}

// walkRules are those that the context of testdata/walk.js is read by.
var walkRules = []string{`route=als("request").route`, `user=user.id`}

// inKernel writes a thread's process to the BPF maps.
func inKernel(t testing.TB, p *bpftest.Program, th *thread) *kernelWalk {
	t.Helper()
	var rules []reqctx.Rule
	for _, text := range walkRules {
		r, err := reqctx.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	tree, err := reqctx.NewTree(rules)
	if err != nil {
		t.Fatal(err)
	}
	k := &kernelWalk{program: p, thread: th, sampler: sampler.New(&p.Objects)}
	k.useTree(tree)
	k.putCode(t)
	return k
}

// useTree has the context read by these rules from now on.
func (k *kernelWalk) useTree(tree *reqctx.Tree) {
	k.use(tree, &process.Process{PID: walkPID, Memory: k.thread.mem, Layout: k.thread.layout})
}

// use has the context of a process read by these rules from now on.
func (k *kernelWalk) use(tree *reqctx.Tree, p *process.Process) {
	before, l, log := k.config, p.Layout, slog.New(slog.DiscardHandler)
	k.config = labels.Configure(tree, l)
	if l.Has(layout.IsolateTLS) {
		k.config.V8.IsolateTls = l.Values[layout.IsolateTLS].N
	}
	if before != nil {
		k.config.N_mappings, k.config.Mappings = before.N_mappings, before.Mappings
		k.config.Generation = before.Generation
	}
	k.learner = labels.NewLearner(p, k.config.Id, k.sampler, log)
	k.labels = labels.NewDecoder(tree, k.sampler, log).Process(p, k.config, pprofx.Process{})
}

const walkPID = 7 // any: nothing asks for the process itself

// generations tells the mappings of one kernelWalk from those of others.
var generations atomic.Uint32

// putCode writes mappings and unwind rules to the BPF maps.
func (k *kernelWalk) putCode(t testing.TB) {
	t.Helper()
	type slot struct{ number, pages uint32 }
	slots := map[uint32]slot{}
	for number, table := range k.thread.code.Tables {
		at, pages, err := k.sampler.AddTable(table)
		if err != nil {
			t.Fatal(err)
		}
		slots[number] = slot{at, pages}
	}
	k.config.Generation = generations.Add(1)
	k.config.N_mappings = uint32(copy(k.config.Mappings[:], k.thread.code.Mappings))
	for i := range k.config.Mappings {
		m := &k.config.Mappings[i]
		m.Pages = slots[m.Table].pages
		m.Table = slots[m.Table].number
	}
	if err := k.sampler.Placed(k.config.Mappings[:]); err != nil {
		t.Fatal(err)
	}
}

// sampled is what a sample says of a thread.
type sampled struct {
	walk       stack.Walk
	labels     []pprofx.Label
	flags      labels.Flags
	reads      []bpftest.Read
	nReads     int
	collecting bool
}

// once takes a sample of the thread, of whose memory there are these pages, and answers the requests of the BPF
// program.
func (k *kernelWalk) once(t testing.TB, pages map[uint64][]byte) sampled {
	t.Helper()
	s, out := k.raw(t, pages)
	k.learner.Answer(&s)
	if k.noCode { // they show that the thread runs the isolate's JavaScript
		s.Frames = []bpf.Frame{{Kind: bpf.FrameJS}}
	}
	read, flags := k.labels.Decode(&s)
	return sampled{walkOf(&s), read, flags, out.Reads, out.NReads, symbolize.State(s.VmState) == pprofx.StateGC}
}

// raw takes a sample of the thread.
func (k *kernelWalk) raw(t testing.TB, pages map[uint64][]byte) (sampler.Sample, bpftest.Output) {
	t.Helper()
	in := bpftest.Input{PID: walkPID, Process: k.config, Registers: k.thread.regs}
	for at, b := range pages {
		in.Pages = append(in.Pages, bpftest.Page{Addr: at, Data: b})
	}
	out, err := k.program.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sampler.DecodeSample(out.Record)
	if err != nil {
		t.Fatal(err)
	}
	return s, out
}

// sample takes samples until the BPF program requests nothing more, and returns the last.
func (k *kernelWalk) sample(t testing.TB, pages map[uint64][]byte) (s sampled) {
	t.Helper()
	for range 8 {
		if s = k.once(t, pages); !s.flags.Learning {
			break
		}
	}
	return s
}

// walkOf is a sample's walk in the form of the one in Go.
func walkOf(s *sampler.Sample) stack.Walk {
	w := stack.Walk{Skipped: int(s.Skipped), Stop: stack.Stop(s.Stop), Resumed: s.Resumed != 0}
	for _, f := range s.Frames {
		w.Frames = append(w.Frames, stack.WalkFrame{RawFrame: symbolize.RawFrame(f), Kind: stack.FrameKind(f.Kind)})
	}
	w.Leaf = stack.Leaf{Callee: symbolize.RawFrame(s.Callee), Words: slices.Clone(s.Stack), SP: s.Sp,
		BP: s.Bp, RAX: s.Rax, RCX: s.Rcx, R8: s.R8, R9: s.R9, R10: s.R10}
	return w
}

// recordThread records the memory that the walks and the context reader read. The BPF program cannot say what it would
// read behind a word that it could not, so it runs until it asks for no page more.
func recordThread(t testing.TB, p *bpftest.Program, live *thread) *memory.Recorder {
	t.Helper()
	r := &memory.Recorder{Mem: live.mem}
	live.walk(r)
	th := *live
	th.mem = r
	inKernel(t, p, &th).record(t, r)
	return r
}

// record keeps what the BPF program reads of a thread whose memory is recorded. It cannot say what it would read behind
// a word that it could not, so it runs until it asks for no page more.
func (k *kernelWalk) record(t testing.TB, r *memory.Recorder) {
	t.Helper()
	const rounds = 200
	s, before := sampled{}, -1
	for round := 0; before < len(r.Pages) || s.flags.Learning; round++ {
		if round == rounds {
			t.Fatalf("after %d rounds the BPF program still asks for pages or learns: %+v", rounds, s.flags)
		}
		before = len(r.Pages)
		s = k.once(t, r.Pages)
		for _, read := range s.reads {
			r.Keep(read.At, read.Size)
		}
	}
}
