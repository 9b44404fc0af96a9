package symbolize

import (
	"log/slog"
	"os"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/pprofx"
)

// Kernel names kernel frames, for all processes. It is not safe for concurrent use.
type Kernel struct {
	names  func() *symbols.Table // nil if they cannot be read
	frames map[uint64]*pprofx.Frame
}

// NewKernel starts to read the kernel's symbols on a goroutine: it takes a tenth of a second, and a sample that waited
// so long could no longer be named.
func NewKernel(log *slog.Logger) *Kernel {
	k := &Kernel{
		names:  sync.OnceValue(func() *symbols.Table { return kernelSymbols(log) }),
		frames: map[uint64]*pprofx.Frame{},
	}
	go k.names()
	return k
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

func (k *Kernel) frame(pc uint64) *pprofx.Frame {
	if f := k.frames[pc]; f != nil {
		return f
	}
	f := &pprofx.Frame{Function: "[unknown]", Kind: pprofx.Kernel, Module: kernelModule, Address: pc}
	if names := k.names(); names != nil {
		if sym, ok := names.Lookup(pc); ok {
			f.Function = sym.Name
		}
	}
	k.frames[pc] = f
	return f
}
