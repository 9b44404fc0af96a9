package symbolize

import (
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/pprofx"
)

// maxKernel bounds the frames of the kernel's code that are kept, twice.
const maxKernel = 1 << 13

// Kernel names kernel frames, for all processes. It reads the kernel's symbols when the first kernel frame comes, on a
// goroutine: that takes a tenth of a second, and a sample that waited so long could no longer be named. Frames that
// come meanwhile get their names from Name. It is not safe for concurrent use.
type Kernel struct {
	log     *slog.Logger
	read    chan *symbols.Table // of capacity 1; nil: not yet begun
	ready   bool                // names is what there is
	names   *symbols.Table      // nil: they cannot be read
	frames  aged[uint64, *pprofx.Frame]
	unnamed []*pprofx.Frame
}

// NewKernel makes a Kernel that has read nothing yet.
func NewKernel(log *slog.Logger) *Kernel {
	return &Kernel{log: log, frames: newAged[uint64, *pprofx.Frame](maxKernel)}
}

func kernelSymbols(log *slog.Logger) *symbols.Table {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		log.Warn("kernel frames will have no names", "why", err)
		return nil
	}
	defer f.Close()
	t, err := symbols.Kernel(f)
	if err != nil {
		log.Warn("kernel frames will have no names", "why", err)
	}
	return t
}

// begin starts to read the symbols.
func (k *Kernel) begin() {
	k.read = make(chan *symbols.Table, 1)
	go func() {
		defer priority.Background()()
		k.read <- kernelSymbols(k.log)
		debug.FreeOSMemory() // reading takes ten times what stays
	}()
}

// frame returns the frame of an address. Its name may come with the next call of Name.
func (k *Kernel) frame(pc uint64, now int64) *pprofx.Frame {
	if f, ok := k.frames.get(pc, now); ok {
		return f
	}
	f := &pprofx.Frame{Function: "[unknown]", Kind: pprofx.Kernel, Module: kernelModule, Address: pc}
	k.frames.put(pc, f, now)
	k.unnamed = append(k.unnamed, f)
	if k.read == nil {
		k.begin()
	}
	if k.ready {
		k.Name()
	}
	return f
}

// Sizes are the names and sizes of caches, to be logged.
func (k *Kernel) Sizes() []any { return []any{"kernel symbols", k.frames.len()} }

// Reading reports whether Name would wait.
func (k *Kernel) Reading() bool { return len(k.unnamed) > 0 && !k.ready && len(k.read) == 0 }

// Name names the frames that have no names yet; call it before a snapshot is cut. It waits if the symbols are still
// being read.
func (k *Kernel) Name() {
	if len(k.unnamed) == 0 {
		return
	}
	if !k.ready {
		k.names, k.ready = <-k.read, true
	}
	for _, f := range k.unnamed {
		if k.names == nil {
			break
		}
		if sym, ok := k.names.Lookup(f.Address); ok {
			f.Function = sym.Name
		}
	}
	k.unnamed = k.unnamed[:0]
}
