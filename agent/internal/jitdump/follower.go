package jitdump

import (
	"io"
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// longestWait is how long samples wait for a file to be read. After one that takes longer they do not wait for the time
// waitAgain: meanwhile its code mostly has no names.
const (
	longestWait = 250 * time.Millisecond
	waitAgain   = time.Second
)

// follower reads a file while a process writes it, on a goroutine that ends with each reading.
type follower struct {
	*file
	path    string      // as the process sees it, without control characters
	mem     io.ReaderAt // of the process
	log     *slog.Logger
	wait    time.Duration // at most, for a reading
	reading chan error    // nil: the file is not being read
	begun   int64         // when reading began: all that had been written by then is read
	read    int64         // the same, of the last reading that is complete
	noWait  int64         // until when there is no waiting
	slow    bool          // a reading took too long
	failed  bool          // the file is not read any more
	said    int64         // how many pieces are left out, when that was last said
}

// upTo reports whether all is known that had been written by a time. Times are CLOCK_MONOTONIC in nanoseconds.
func (f *follower) upTo(time, now int64) bool {
	if f.failed || time <= f.read && f.reading == nil {
		return !f.failed
	}
	if f.reading == nil {
		f.start(now)
	}
	if !f.await(now) || f.failed {
		return false
	}
	if time > f.read { // that was a reading begun before
		f.start(now)
		return f.await(now) && !f.failed
	}
	return true
}

func (f *follower) start(now int64) {
	f.reading, f.begun = make(chan error, 1), now
	go func(done chan<- error) {
		defer priority.Background()() // the file may have gigabytes
		var err error
		procs.Waited(f.user, func() { err = f.follow(uint64(now)) })
		done <- err
	}(f.reading)
}

// await waits for a reading, and reports whether it is complete.
func (f *follower) await(now int64) bool {
	wait := min(f.wait, allWaits.left(f.user, time.Duration(now)))
	if now < f.noWait {
		wait = 0
	}
	err, complete := f.awaitFor(wait)
	if !complete {
		if wait > 0 {
			allWaits.add(f.user, time.Duration(now), wait)
			f.late(now)
		}
		return false
	}
	f.reading, f.read = nil, f.begun
	f.tell(err)
	return true
}

// awaitFor waits for a reading for some time.
func (f *follower) awaitFor(most time.Duration) (err error, complete bool) {
	select {
	case err = <-f.reading:
		return err, true
	default:
	}
	if most == 0 {
		return nil, false
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case err = <-f.reading:
		return err, true
	case <-late.C:
		return nil, false
	}
}

// late notes that a reading takes too long.
func (f *follower) late(now int64) {
	f.noWait = now + int64(f.wait+waitAgain)
	if !f.slow {
		f.log.Warn("jitdump takes long to read: code of the process has no names meanwhile",
			"pid", f.of.PID, "file", f.path)
	}
	f.slow = true
}

// find returns the code that was at an address at a time, up to which all is known; nil: that is not known.
func (f *follower) find(addr uint64, time int64) *piece {
	p := f.codes.find(addr, uint64(time))
	if p == nil || p.to != always {
		return p
	}
	if p.probed != f.read {
		p.probed, p.gone = f.read, !p.probe.there(f.mem, p.start, p.end-p.start)
	}
	if p.gone {
		return nil
	}
	return p
}

// tell says once why a file is read no more, and what is left out of it.
func (f *follower) tell(err error) {
	switch {
	case err == errV8:
		f.log.Debug("jitdump is not read", "pid", f.of.PID, "file", f.path, "why", err)
	case err != nil:
		f.log.Warn("jitdump is not read: code of the process has no names",
			"pid", f.of.PID, "file", f.path, "why", err)
	case f.left > 2*f.said:
		f.said = f.left
		f.log.Warn("jitdump has more code than is kept", "pid", f.of.PID, "file", f.path, "left out", f.left)
	}
	if err != nil {
		f.failed = true
		f.close()
	}
}

// close closes the file, and forgets what it says, when it is not being read any more.
func (f *follower) close() {
	if f.reading != nil {
		go func() {
			<-f.reading
			f.reading = nil
			f.close()
		}()
		return
	}
	if f.clear(); f.open != nil {
		go procs.Waited(f.user, func() { procs.Close(f.open) })
	}
}
