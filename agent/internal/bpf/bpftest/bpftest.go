// Package bpftest runs the BPF program's walker and context reader on memory that a test makes, in the kernel: the
// test's pages are mapped at their own addresses into the test's process, and a BPF program of type syscall takes a
// sample of them. Only tests import it.
package bpftest

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/cilium/ebpf"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/v8/target"
)

//go:generate -command bpf2go go tool bpf2go -cc clang-19 -strip ../strip.sh -target bpfel
//go:generate bpf2go replay replay.bpf.c -- -gno-column-info -I.. -Wall -Werror -D__TARGET_ARCH_x86 -I/usr/include/x86_64-linux-gnu

// Program is the BPF program in the kernel. Objects has its maps: processes, hidden classes and unwind rules (package
// sampler fills them). It serves one test at a time.
type Program struct {
	bpf.Objects
	Replay *ebpf.Program  `ebpf:"hotspan_replay"`
	NReads *ebpf.Variable `ebpf:"n_reads"`
	Log    *ebpf.Variable `ebpf:"reads"`
	log    []Read
}

// Load loads the BPF program until the test ends.
func Load(t testing.TB) *Program {
	t.Helper()
	spec, err := loadReplay()
	if err != nil {
		t.Fatal(err)
	}
	spec.Maps["events"].MaxEntries = 4096
	bpf.MapTables(spec)
	p := new(Program)
	if err := spec.LoadAndAssign(p, nil); err != nil {
		t.Fatalf("load the BPF program: %v", err)
	}
	t.Cleanup(func() {
		p.Objects.Close()
		p.Replay.Close()
		shown.Lock()
		defer shown.Unlock()
		shown.hide()
	})
	return p
}

// Input is the thread and the memory that a sample is taken of.
type Input struct {
	PID       int              // key of Process, and of the shapes and stores in the BPF program's maps
	Process   *bpf.Process     // nil keeps the last one
	Registers target.Registers // of the thread that is interrupted
	Isolate   uint64           // 0 = the one that Process.V8.IsolateTls and Registers.FSBase lead to
	Pages     []Page           // the memory of the process; the other pages of the test's process are readable too
}

// Output is the result of a run of the BPF program.
type Output struct {
	Record []byte // as written to the ring buffer
	Reads  []Read // of the memory, in order; the last 65,536 if there were more
	NReads int    // how many there were
}

// Read is one read of the BPF program's.
type Read struct{ At, Size uint64 }

// shown is the memory of the last run.
var shown memory

// Run shows the pages and takes a sample. Pages that lie where the process has memory are an error: see Main. They stay
// until the next run, or the end of the test.
func (p *Program) Run(in Input) (Output, error) {
	if in.Process != nil {
		if err := p.Processes.Put(uint32(in.PID), in.Process); err != nil {
			return Output{}, err
		}
	}
	shown.Lock()
	defer shown.Unlock()
	if err := shown.show(in.Pages); err != nil {
		return Output{}, err
	}
	size, err := p.Replay.Run(&ebpf.RunOptions{Context: thread(in)})
	if err != nil {
		return Output{}, fmt.Errorf("run the BPF program: %w", err)
	}
	if int32(size) < 0 {
		return Output{}, fmt.Errorf("process %d is not in the map of processes", in.PID)
	}
	return p.output(int(size))
}

func thread(in Input) *replayReplayThread {
	t := &replayReplayThread{Pid: uint32(in.PID), Isolate: in.Isolate, FsBase: in.Registers.FSBase}
	g, r := &in.Registers.General, &t.Registers
	r.Rax, r.Rdx, r.Rcx, r.Rbx = g[target.RAX], g[target.RDX], g[target.RCX], g[target.RBX]
	r.Rsi, r.Rdi, r.Rbp, r.Rsp = g[target.RSI], g[target.RDI], g[target.RBP], g[target.RSP]
	r.R8, r.R9, r.R10, r.R11 = g[target.R8], g[target.R9], g[target.R10], g[target.R11]
	r.R12, r.R13, r.R14, r.R15 = g[target.R12], g[target.R13], g[target.R14], g[target.R15]
	r.Rip = in.Registers.IP
	return t
}

func (p *Program) output(size int) (out Output, err error) {
	scratch, err := p.Scratches.LookupBytes(uint32(0))
	if err != nil {
		return out, fmt.Errorf("read the record: %w", err)
	}
	out.Record = slices.Clone(scratch[unsafe.Offsetof(replayScratch{}.Buffer):][:size]) // aligned, as decoders want it
	var n uint64
	if err := p.NReads.Get(&n); err != nil {
		return out, err
	}
	out.NReads = int(n)
	if p.log == nil {
		p.log = make([]Read, uintptr(p.Log.Size())/unsafe.Sizeof(Read{}))
	}
	if err := p.Log.Get(p.log); err != nil {
		return out, err
	}
	out.Reads = append(out.Reads, p.log[:min(out.NReads, len(p.log))]...)
	return out, nil
}

// ForgetRequest has the next run read the request anew, whatever the last one has kept of it.
func (p *Program) ForgetRequest() error {
	scratch, err := p.Scratches.LookupBytes(uint32(0))
	if err != nil {
		return err
	}
	at := unsafe.Offsetof(replayScratch{}.Request)
	clear(scratch[at : at+unsafe.Sizeof(replayScratch{}.Request.Frame)])
	return p.Scratches.Put(uint32(0), scratch)
}
