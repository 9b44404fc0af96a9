package report

import (
	"encoding/json"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// Class is what a thread did in a sample. Each sample has one.
type Class uint8

// The classes, in the order in which they are asked.
const (
	GC       Class = iota // V8 collected garbage, on whatever thread
	Compiler              // V8 compiled
	Pool                  // a thread of libuv's pool worked
	Kernel                // the leaf is in the kernel
	Native                // the leaf is C or C++: Node, V8, a library
	JS                    // JavaScript, or what V8 made of it
	Off                   // the thread waited off the CPU; of pprofx.WallTime only
	Classes               // how many there are
)

var classNames = [Classes]string{"gc", "compiler", "pool", "kernel", "native", "js", "off"}

// String returns the name in tables and in JSON.
func (c Class) String() string { return classNames[c] }

// Counts are samples by class. In JSON it is an object of those that are not 0.
type Counts [Classes]int64

func (c *Counts) add(n *Counts) {
	for i := range c {
		c[i] += n[i]
	}
}

func (c *Counts) sum() (n int64) {
	for _, of := range c {
		n += of
	}
	return n
}

// MarshalJSON implements json.Marshaler.
func (c Counts) MarshalJSON() ([]byte, error) {
	all := map[string]int64{}
	for i, n := range c {
		if n > 0 {
			all[Class(i).String()] = n
		}
	}
	return json.Marshal(all)
}

// poolThread is the name of libuv's threads (src/threadpool.c, since libuv 1.50; before they have the process's name).
const poolThread = "libuv-worker"

func classOf(s *pprofx.Snapshot, r *pprofx.Row) Class {
	switch {
	case s.Measure == pprofx.WallTime && slices.ContainsFunc(s.LabelSets[r.Labels], isOff):
		return Off
	case r.State == pprofx.StateGC:
		return GC
	case r.State == pprofx.StateCompiler:
		return Compiler
	case s.Threads[r.Thread] == poolThread:
		return Pool
	}
	stack := s.Stacks[r.Stack]
	if len(stack) == 0 {
		return Native
	}
	switch leaf := s.Frames[stack[0]]; leaf.Kind {
	case pprofx.Kernel:
		return Kernel
	case pprofx.Native, pprofx.Marker:
		return Native
	case pprofx.JIT: // of V8, or of another one, which a jitdump says, or the process has no V8
		if leaf.Module != "" || r.State == pprofx.StateOther {
			return Native
		}
	}
	return JS
}

func isOff(l pprofx.Label) bool { return l.Key == pprofx.CPULabel && l.Str == "off" }
