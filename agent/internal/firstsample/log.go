// Package firstsample says how long it took to the first sample with names: since hotspan began, and since each process
// that starts later.
package firstsample

import (
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// slow is how long a start takes that is logged for everyone.
const slow = 300 * time.Millisecond

// Log logs the first named samples. It is for one goroutine. Times are those of sampler.Now.
type Log struct {
	Log      *slog.Logger
	Begun    int64 // when the program began
	Sampling int64 // when sampling began
	named    bool  // there was one
}

// Named logs the first named sample of a process that was opened and ready, its files read, at these times: the first
// one since hotspan began, and those of processes that have started since sampling began. hotspan reads the files of
// all processes that are there before it samples any, so it says nothing of the others.
func (l *Log) Named(pid int, opened, ready int64) {
	now, reading := sampler.Now(), between(opened, ready)
	switch {
	case opened > l.Sampling:
		l.write(reading, "pid", pid, "after", between(opened, now), "reading its files", reading)
	case !l.named:
		began := between(l.Begun, l.Sampling)
		l.write(began, "pid", pid, "after", between(l.Begun, now), "reading its files", reading,
			"sampling began after", began)
	}
	l.named = true
}

// write logs a first named sample, for everyone if hotspan took long before it could take one.
func (l *Log) write(before time.Duration, args ...any) {
	log := l.Log.Debug
	if before >= slow {
		log = l.Log.Info
	}
	log("first named sample", args...)
}

func between(from, to int64) time.Duration { return time.Duration(to - from).Round(time.Millisecond) }
