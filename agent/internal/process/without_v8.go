package process

import (
	"math"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

const (
	maxWithoutV8 = 1 << 12 // executables that are remembered
	enough       = 3       // processes without V8, after which the next ones of the executable have none either
)

// WithoutV8 remembers executables whose processes have no V8. The zero value knows none.
type WithoutV8 struct{ seen map[procs.FileID]int }

// Has reports whether the executable of a process is one of them.
func (w *WithoutV8) Has(pid int) bool {
	id, err := procs.ExecutableID(pid)
	return err == nil && w.seen[id] >= enough
}

// Add remembers that a process had no V8 that many times.
func (w *WithoutV8) Add(pid, times int) {
	id, err := procs.ExecutableID(pid)
	if err != nil {
		return
	}
	if w.seen == nil || len(w.seen) >= maxWithoutV8 {
		w.seen = map[procs.FileID]int{}
	}
	w.seen[id] += times
}

// Never remembers that an executable is none of them: a process had V8 from a library, later.
func (w *WithoutV8) Never(pid int) { w.Add(pid, math.MinInt32) }
