package symbolize

import (
	"log/slog"
	"sync"

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
	frames aged[kernelPlace, *pprofx.Frame]
}

// kernelPlace is a return address, or an exact one.
type kernelPlace struct {
	pc    uint64
	exact bool
}

// NewKernel begins to load what names frames. The caller closes it.
func NewKernel(log *slog.Logger) *Kernel {
	load := func() *kernelnames.Names {
		names, err := kernelnames.Open()
		if err != nil {
			log.Warn("kernel frames will have no names", "why", err)
		}
		return names
	}
	k := &Kernel{log: log, names: sync.OnceValue(load), frames: newAged[kernelPlace, *pprofx.Frame](maxKernel)}
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
func (k *Kernel) frame(pc uint64, exact bool, now int64) *pprofx.Frame {
	at := kernelPlace{pc, exact}
	if f, ok := k.frames.get(at, now); ok {
		return f
	}
	f := &pprofx.Frame{Function: "[unknown]", Kind: pprofx.Kernel, Module: kernelModule, Address: pc}
	if name := k.name(called(pc, exact)); name != "" {
		f.Function = name
	}
	k.frames.put(at, f, now)
	return f
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
