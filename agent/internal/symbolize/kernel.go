package symbolize

import (
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf/kernelnames"
	"github.com/hotspan/hotspan/pprofx"
)

// maxKernel bounds the frames of the kernel's code that are kept, twice.
const maxKernel = 1 << 13

// Kernel names kernel frames, for all processes. It is not safe for concurrent use.
type Kernel struct {
	log    *slog.Logger
	names  func() *kernelnames.Names // waits until they are loaded; nil: they cannot be
	failed bool                      // naming has
	frames aged[kernelPlace, kernelFrame]
}

// kernelPlace is a return address, or an exact one.
type kernelPlace struct {
	pc    uint64
	exact bool
}

// kernelFrame is a frame, and until when it may be used, as sampler.Now. What the kernel was linked with stays where it
// is. A module or a BPF program may be unloaded, and another be where it was.
type kernelFrame struct {
	*pprofx.Frame
	until int64
}

// renameAfter is how long a name of code that may be unloaded is used, in nanoseconds.
const renameAfter = int64(5 * time.Second)

// NewKernel begins to load what names frames. The caller closes it.
func NewKernel(log *slog.Logger) *Kernel {
	load := func() *kernelnames.Names {
		names, err := kernelnames.Open()
		if err != nil {
			log.Warn("kernel frames will have no names", "why", err)
		}
		return names
	}
	k := &Kernel{log: log, names: sync.OnceValue(load), frames: newAged[kernelPlace, kernelFrame](maxKernel)}
	go k.names()
	return k
}

// Close releases what NewKernel has loaded.
func (k *Kernel) Close() {
	if names := k.names(); names != nil {
		names.Close()
	}
}

// frame returns the frame of an address.
func (k *Kernel) frame(pc uint64, exact bool, now int64) kernelFrame {
	at := kernelPlace{pc, exact}
	known, ok := k.frames.get(at, now)
	if ok && now < known.until {
		return known
	}
	f := kernelFrame{&pprofx.Frame{Function: "[unknown]", Kind: pprofx.Kernel, Module: kernelModule, Address: pc},
		now + renameAfter}
	if name := k.name(called(pc, exact)); name != "" {
		f.Function = name
		if !mayBeUnloaded(name) {
			f.until = math.MaxInt64
		}
	}
	if ok && known.Function == f.Function {
		f.Frame = known.Frame
	}
	k.frames.put(at, f, now)
	return f
}

// mayBeUnloaded reports whether a name may be that of a function in a module (kernelnames.Names), or of a BPF program,
// a trampoline or a dispatcher. The kernel's own functions that begin so are named again in vain.
func mayBeUnloaded(name string) bool {
	return strings.HasSuffix(name, "]") || strings.HasPrefix(name, "bpf_")
}

// name returns the name of the function at an address, "" if there is none, or naming has failed.
func (k *Kernel) name(at uint64) string {
	names := k.names()
	if names == nil || k.failed {
		return ""
	}
	name, err := names.Name(at)
	if k.failed = err != nil; k.failed {
		k.log.Warn("kernel frames have no names from now on", "why", err)
	}
	return name
}

// Sizes are the names and sizes of caches, to be logged.
func (k *Kernel) Sizes() []any { return []any{"kernel symbols", k.frames.len()} }
