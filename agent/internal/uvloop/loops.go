package uvloop

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
)

const (
	// maxLoops bounds the threads of a process that are remembered.
	maxLoops = 256
	// maxTries bounds how often the loop of a thread is searched for: where libuv does not count, none is found.
	maxTries = 3
)

// Loops remembers of the event loops of a process what their samples have shown. The zero value is that of a process
// without samples. It is not safe for concurrent use.
type Loops struct {
	tries  map[bpf.EnvironmentKey]int // how often the loop of a thread was searched for
	unseen bool                       // Search has returned that one is not searched for again
	turns  map[int]turn               // of the last sample that has one, by thread
}

// turn is a turn of a loop. Times are in nanoseconds, on the clock of samples.
type turn struct {
	number      uint64
	began, last int64 // when its first sample began, and when its last one was taken
	long        bool  // Reached has returned true
}

// Search returns where the loop of a thread returns to, if it is to be searched for now, since the stack of a sample
// shows that the thread runs one; else 0. frames are those of the stack as they were sampled. last says that it is not
// searched for again, the first time for a process.
func (l *Loops) Search(thread bpf.EnvironmentKey, stack []*pprofx.Frame, frames []bpf.Frame) (pc uint64, last bool) {
	if l.tries[thread] >= maxTries {
		return 0, false
	}
	if pc = back(stack, frames); pc == 0 {
		return 0, false
	}
	if l.tries == nil || len(l.tries) >= maxLoops {
		l.tries = map[bpf.EnvironmentKey]int{}
	}
	l.tries[thread]++
	last = !l.unseen && l.tries[thread] == maxTries
	l.unseen = l.unseen || last
	return pc, last
}

// Reached reports whether a sample of a thread, in a turn, is the first by which that had lasted for at least so many
// nanoseconds. It was taken at a time, and is one of a wait that began at from, or at that time too.
func (l *Loops) Reached(least int64, tid int, number uint64, from, at int64) bool {
	if number == 0 {
		return false
	}
	t, ok := l.turns[tid]
	if !ok || t.number != number {
		t = turn{number: number, began: from}
	}
	t.last = at
	reached := !t.long && t.last-t.began >= least
	t.long = t.long || reached
	if l.turns == nil {
		l.turns = map[int]turn{}
	}
	if !ok && len(l.turns) >= maxLoops {
		l.forgetOldest()
	}
	l.turns[tid] = t
	return reached
}

// forgetOldest removes the thread whose last sample was the longest ago: it may have ended.
func (l *Loops) forgetOldest() {
	oldest := 0
	for tid, t := range l.turns {
		if old, ok := l.turns[oldest]; !ok || t.last < old.last {
			oldest = tid
		}
	}
	delete(l.turns, oldest)
}
