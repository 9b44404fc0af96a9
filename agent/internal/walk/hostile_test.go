package walk

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// maxReads bounds the memory reads of one run of the BPF program: 9 reads a frame, and 4,096 for the context.
const maxReads = 9*(stack.MaxSteps+1) + 4096

// same compares the walks in Go and in the kernel over a thread whose memory is these pages. It does not where a walk
// leads to memory that is in no page, but where the test has its own, which the BPF program may read.
func (k *kernelWalk) same(t *testing.T, what string, r *memory.Recording) stack.Walk {
	t.Helper()
	outside := &outside{Recording: r}
	w := k.thread.walk(outside)
	s := k.once(t, r.Pages)
	if outside.ofTest(t) {
		k.notCompared++
		return w
	}
	if diff := cmp.Diff(w, s.walk); diff != "" {
		t.Errorf("%s: Go and BPF: %.2000s", what, diff)
	}
	if s.nReads > maxReads {
		t.Errorf("%s: %d reads", what, s.nReads)
	}
	return w
}

// outside notes where memory was read that is in no page of a recording.
type outside struct {
	*memory.Recording
	at []uint64
}

func (o *outside) ReadAt(b []byte, off int64) (int, error) {
	n, err := o.Recording.ReadAt(b, off)
	if err != nil {
		o.at = append(o.at, uint64(off)+uint64(n))
	}
	return n, err
}

// ofTest reports whether the test has memory of its own there.
func (o *outside) ofTest(t *testing.T) bool {
	t.Helper()
	if len(o.at) == 0 {
		return false
	}
	own, err := procs.Maps(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(o.at, func(at uint64) bool {
		return slices.ContainsFunc(own, func(m procs.Mapping) bool { return m.Start <= at && at < m.End })
	})
}

// TestWalkHostileRegisters: whatever rbp, rsp and the pc are, the walks agree.
func TestWalkHostileRegisters(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		good := th.regs
		at := map[string]uint64{}
		for _, f := range th.walk(r).Frames {
			at[map[bool]string{true: "JavaScript", false: "native"}[f.Kind == stack.FrameFunction]] = f.PC
		}
		k := inKernel(t, p, th)
		for _, pc := range []uint64{good.IP, at["JavaScript"], at["native"], 0, 0x1000, 1 << 47, 1<<64 - 1} {
			for _, bp := range []uint64{good.General[memory.RBP], good.General[memory.RSP], 0, 4, 1<<63 - 8, 1<<64 - 8,
				1<<64 - 16} {
				for _, sp := range []uint64{good.General[memory.RSP], 0, 1<<64 - 8} {
					th.regs = good
					th.regs.IP, th.regs.General[memory.RBP], th.regs.General[memory.RSP] = pc, bp, sp
					k.same(t, "registers", r)
				}
			}
		}
	})
}

// TestWalkHostileStack breaks words of the stack, and of the whole memory: other words of it, cycles, odd addresses.
func TestWalkHostileStack(t *testing.T) {
	const rounds = 120
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		random := rand.New(rand.NewPCG(1, 2))
		low, _ := stackOf(th, r)
		stops := map[stack.Stop]int{}
		for round := range rounds {
			broken := *r
			broken.Pages = maps.Clone(r.Pages)
			pages := r.Addresses()
			if round%3 != 0 {
				pages = slices.DeleteFunc(pages, func(page uint64) bool { return page < low })
			}
			for range 1 + random.IntN(4)*random.IntN(30) {
				breakWord(random, &broken, pages)
			}
			stops[k.same(t, "a broken stack", &broken).Stop]++
		}
		if len(stops) < 4 || k.notCompared > rounds/20 {
			t.Errorf("%v, %d not compared: too few to have tested much", stops, k.notCompared)
		}
	})
}

// breakWord changes one word of one of the pages.
func breakWord(random *rand.Rand, r *memory.Recording, pages []uint64) {
	page := pages[random.IntN(len(pages))]
	b := slices.Clone(r.Pages[page])
	at := 8 * random.IntN(len(b)/8)
	word := binary.LittleEndian.Uint64(b[at:])
	switch random.IntN(8) {
	case 0:
		word = random.Uint64()
	case 1:
		word = page + uint64(at) - 8*uint64(random.IntN(40)) // itself, or below
	case 2:
		word ^= 1 << random.IntN(64)
	case 3:
		word = 0
	case 4:
		word += 8 * uint64(random.IntN(9)-4)
	case 5:
		word = binary.LittleEndian.Uint64(b[8*random.IntN(len(b)/8):])
	case 6:
		word = 1<<(40+random.IntN(24)) | uint64(random.IntN(1<<20))
	case 7:
		word = page + 8*uint64(random.IntN(2*len(b)/8))
	}
	binary.LittleEndian.PutUint64(b[at:], word)
	r.Pages[page] = b
}

// TestWalkDeep: of stacks deeper than what is kept both walks keep the same frames.
func TestWalkDeep(t *testing.T) {
	p := bpftest.Load(t)
	for _, n := range []int{2, 900, 1024, 1025, 1100, 1279, 1280, 1281, 6000, stack.MaxSteps, stack.MaxSteps + 1,
		stack.MaxSteps + 300} {
		th, r := deepThread(n)
		w := inKernel(t, p, th).same(t, "a deep stack", r)
		if found := len(w.Frames) + w.Skipped; found != min(n, stack.MaxSteps) ||
			(w.Stop == stack.StopRoot) != (n <= stack.MaxSteps) {
			t.Errorf("%d frames: %d found, stop %d", n, found, w.Stop)
		}
	}
}

// deepThread is a thread on a stack of so many frames of V8's, the last one native and the thread's first.
func deepThread(n int) (*thread, *memory.Recording) {
	const stackAt, code, native, size = 0x10_0000_0000, 0x20_0000_0000, 0x30_0000_0000, 0x40
	pages := (n*size + memory.PageSize) / memory.PageSize
	all := make([]byte, (pages+1)*memory.PageSize)
	r := &memory.Recording{Pages: map[uint64][]byte{}}
	for i := range n - 1 {
		at := size * (i + 1)
		ret := uint64(code + i + 1)
		if i == n-2 {
			ret = native + 1
		}
		binary.LittleEndian.PutUint64(all[at-8:], 0x24)
		binary.LittleEndian.PutUint64(all[at:], uint64(stackAt+at+size))
		binary.LittleEndian.PutUint64(all[at+8:], ret)
	}
	for i := range pages + 1 {
		r.Pages[uint64(stackAt+i*memory.PageSize)] = all[i*memory.PageSize:][:memory.PageSize]
	}
	th := &thread{mem: r, layout: &layout.Layout{}, code: newUsedCode(
		[]bpf.Mapping{
			{Start: code, End: code + 1<<20, Kind: bpf.MappingGenerated},
			{Start: native, End: native + 0x1000, Base: native, Table: 1, Kind: bpf.MappingNative},
		},
		map[uint32]*unwind.Table{1: {Rows: []unwind.Row{{CFA: unwind.CFAEnd}, {PC: 0x100, CFA: unwind.CFANone}}}},
	)}
	th.regs.IP, th.regs.General[memory.RSP], th.regs.General[memory.RBP] = code, stackAt, stackAt+size
	return th, r
}

// TestWalkFunctionsAtEnd: functions are known whose SharedFunctionInfos are the last objects in memory.
func TestWalkFunctionsAtEnd(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		want := th.walk(r)
		moved := *r
		moved.Pages = maps.Clone(r.Pages)
		size := uint64(th.layout.At(layout.SFIFunctionLiteralID)+4+7) &^ 7 // it may have more behind that
		places := map[uint64]uint64{}
		for i, f := range want.Frames {
			from := uint64(f.SFI)
			if f.Kind != stack.FrameFunction || f.ID.Script < 0 {
				continue
			}
			if places[from] == 0 {
				page := uint64(0x5000_0000 + 2*memory.PageSize*len(places)) // the one behind it is not there
				moved.Pages[page] = make([]byte, memory.PageSize)
				if _, err := r.ReadAt(moved.Pages[page][memory.PageSize-size:], int64(from-1)); err != nil {
					t.Fatal(err)
				}
				places[from] = page + memory.PageSize - size + 1
			}
			want.Frames[i].SFI = heap.Word(places[from])
		}
		if len(places) < 10 {
			t.Fatalf("%d functions", len(places))
		}
		for _, page := range r.Addresses() {
			b := slices.Clone(r.Pages[page])
			for at := 0; at < len(b); at += 8 {
				if to := places[binary.LittleEndian.Uint64(b[at:])]; to != 0 {
					binary.LittleEndian.PutUint64(b[at:], to)
				}
			}
			moved.Pages[page] = b
		}
		got := inKernel(t, p, th).same(t, "functions at the end", &moved)
		if diff := cmp.Diff(want.Frames, got.Frames); diff != "" {
			t.Errorf("frames: %.2000s", diff)
		}
	})
}
