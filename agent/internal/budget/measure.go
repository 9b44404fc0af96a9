package budget

import (
	"os"
	"runtime/metrics"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// OwnCPU returns the CPU time of this process, all threads together.
func OwnCPU() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// CPUOf returns the CPU time of this process while f runs, that of other goroutines included: to keep f to a thread of
// its own, whose time could be told, would cost half as many context switches again.
func CPUOf(f func()) time.Duration {
	before := OwnCPU()
	f()
	return OwnCPU() - before
}

// Memory is what this process has, in bytes.
type Memory struct {
	Anonymous int64 // what only this process has
	Peak      int64 // the most that it had, files included
	Needed    int64 // of Anonymous: the heap's live objects with room to collect garbage, and what is not the heap
	runtime   int64 // what Go's runtime needs, as it counts: some of it is never touched
}

// OwnMemory measures the memory of this process. Needed is too low by up to a huge page while Go's runtime returns
// memory to the system, since it counts afterwards what it has returned. (Peak is VmHWM of /proc/self/status.
// ru_maxrss includes the memory of the parent before execve.)
func OwnMemory() (m Memory) {
	b, _ := os.ReadFile("/proc/self/status")
	field := func(name string) int64 {
		value, _ := procs.StatusField(b, name)
		if len(value) == 0 {
			return 0
		}
		kib, _ := strconv.ParseInt(value[0], 10, 64)
		return kib << 10
	}
	m.Anonymous, m.Peak = field("RssAnon"), field("VmHWM")
	value := readRuntime("/gc/heap/live", "/memory/classes/heap/objects", "/memory/classes/heap/unused",
		"/memory/classes/heap/free", "/memory/classes/heap/released", "/memory/classes/total")
	heap := withRoom(value[0])
	used := value[1] + value[2] + value[3]
	m.Needed = min(max(m.Anonymous-used, 0)+heap, m.Anonymous)
	m.runtime = value[5] - used - value[4] + heap
	return m
}

// readRuntime reads numbers of bytes from Go's runtime.
func readRuntime(names ...string) (values []int64) {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name + ":bytes"
	}
	metrics.Read(samples)
	for _, s := range samples {
		values = append(values, int64(s.Value.Uint64()))
	}
	return values
}

// withRoom returns how large a heap must be able to grow so that collections take a bounded part of the CPU time.
func withRoom(live int64) int64 { return live * 4 / 3 }

// HeapLimit returns the memory limit for Go's runtime if the process may have so many bytes of anonymous memory: less
// than those, so that garbage is collected in time, but never less than is needed.
func (m Memory) HeapLimit(bytes int64) int64 { return max(bytes*95/100, m.runtime) }
