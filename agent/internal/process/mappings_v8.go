package process

import (
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Samples wait for longestWait until it is read where V8's code is, and after one that takes longer, or of manyMaps
// mappings, for none that begins within waitAgain. A process may have tens of thousands, and may lock them.
const (
	longestWait = 250 * time.Millisecond
	manyMaps    = 1 << 13
	waitAgain   = 10 * time.Second
)

// V8Code reads where the V8 of a process has its code, and no file: other code that is new is left for the next Update.
// The zero value has read nothing. It is not safe for concurrent use.
type V8Code struct {
	reading *reading                                         // under way, or not taken yet; nil: none
	noWait  time.Time                                        // until when there is no waiting
	read    func(pid int, before []Region) (codeMaps, error) // nil: readCodeMaps
}

// reading is one of mappings.
type reading struct {
	at   int64         // when it began
	end  int64         // when it was done, on the clock of samples
	done chan struct{} // closed when the rest is set
	maps codeMaps
	err  error
}

// Begin begins to read, unless that is under way. now is any clock.
func (c *V8Code) Begin(ms *Mappings, now int64) {
	if c.reading != nil && !c.reading.wait(0) {
		return
	}
	r := &reading{at: now, done: make(chan struct{})}
	c.reading = r
	read := c.read
	if read == nil {
		read = readCodeMaps
	}
	go func(pid int, before []Region) {
		defer close(r.done)
		procs.Waited(procs.UserOf(pid), func() { r.maps, r.err = read(pid, before) })
		r.end = procs.Monotonic()
	}(ms.pid, ms.regions)
}

// Read reads, and waits a moment for that. What Begin has begun it waits for first: then it reads again.
func (c *V8Code) Read(ms *Mappings, now int64) {
	if c.reading == nil || c.wait() {
		c.Begin(ms, now)
		c.wait()
	}
}

// wait waits for what is under way, and reports whether it has been read.
func (c *V8Code) wait() (done bool) {
	began := time.Now()
	if !began.After(c.noWait) {
		return c.reading.wait(0)
	}
	if done = c.reading.wait(longestWait); !done || c.reading.maps.seen > manyMaps {
		c.noWait = began.Add(waitAgain)
	}
	return done
}

// Reading reports whether there is something for Take now, or later.
func (c *V8Code) Reading() bool { return c.reading != nil }

// Take takes what has been read, if that began after since, when the mappings at hand were read. ok is false if there
// is nothing, at is when reading began, and changed whether code was mapped or unmapped; tell the BPF program then. The
// mappings at hand are the last ones of a process that has ended.
func (c *V8Code) Take(ms *Mappings, since int64) (at int64, changed, ok bool) {
	r := c.reading
	if r == nil || !r.wait(0) {
		return 0, false, false
	}
	c.reading = nil
	switch {
	case r.at <= since:
		return 0, false, false
	case r.err != nil:
		return r.at, false, errors.Is(r.err, fs.ErrNotExist) || errors.Is(r.err, unix.ESRCH)
	}
	known := ms.knownFiles()
	regions := ms.find(r.maps.kept, func(m procs.Mapping) *elffile.File { return known[m.File()] })
	ms.left = r.maps.left
	return r.at, ms.set(r.maps.kept, regions, r.end), true
}

// wait waits until it has been read, and reports whether it has in time.
func (r *reading) wait(most time.Duration) bool {
	select {
	case <-r.done:
		return true
	default:
	}
	if most == 0 {
		return false
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-r.done:
		return true
	case <-late.C:
		return false
	}
}

// knownFiles are the files whose code is mapped.
func (ms *Mappings) knownFiles() map[procs.FileID]*elffile.File {
	known := map[procs.FileID]*elffile.File{}
	for _, m := range ms.maps {
		if r, ok := ms.Find(m.Start); ok && m.Exec && r.File != nil {
			known[m.File()] = r.File
		}
	}
	return known
}
