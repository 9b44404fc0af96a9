package main

import (
	"fmt"
	"syscall"
	"time"
)

// figures are what one run of a trial has shown, or the sums and maxima of several.
type figures struct {
	counts
	events      int   // things done to processes
	memory      int64 // the most anonymous memory that hotspan had more after the events than before, in KiB
	descriptors int   // the most descriptors that it had more
	entries     int   // the most entries that its BPF maps had more
	peak        int64 // most resident memory of hotspan, in KiB
	killed      int   // how often the kernel ended hotspan for want of memory
}

// usage is what a running hotspan has.
type usage struct {
	memory      int64 // anonymous, in KiB
	descriptors int
	entries     map[string]int // of BPF maps, by name; nil: not counted
}

func measure(p *profiler) usage {
	return usage{memory: p.status("RssAnon"), descriptors: len(p.descriptors())}
}

// settled waits until hotspan has read its first target: what is parsed and loaded for that is not given back. Its
// descriptors are then more than before, and as many for two seconds.
func settled(p *profiler, before usage) error {
	last, since := before.descriptors, time.Now()
	for end := since.Add(backTimeout); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if now := measure(p).descriptors; now != last {
			last, since = now, time.Now()
		}
		if last > before.descriptors && time.Since(since) > 2*time.Second {
			return nil
		}
	}
	return fmt.Errorf("hotspan has not read its first target: %d descriptors, %d before", last,
		before.descriptors)
}

// more is how many entries maps have that they had not before.
func (u *usage) more(before usage) (n int) {
	for name, entries := range u.entries {
		n += max(0, entries-before.entries[name])
	}
	return n
}

// Descriptors and entries of maps are to be back exactly. Of memory Go keeps some for what comes next: a process that
// was never released keeps megabytes. Files go half a minute after the last process that has them.
const (
	backTimeout   = 50 * time.Second
	maxMoreMemory = 32 << 10
)

// back waits until hotspan has no more than before.
func (f *figures) back(p *profiler, before usage) error {
	for end := time.Now().Add(backTimeout); ; time.Sleep(100 * time.Millisecond) {
		now := measure(p)
		f.memory, f.descriptors = max(0, now.memory-before.memory), max(0, now.descriptors-before.descriptors)
		if before.entries != nil {
			now.entries = entriesOf(p)
			f.entries = now.more(before)
		}
		if f.memory <= maxMoreMemory && f.descriptors == 0 && f.entries == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("hotspan has not given back what it took: %+v, before %+v: %q", now, before,
				p.descriptors())
		}
	}
}

// finish ends hotspan, which must succeed, and takes what it says.
func (f *figures) finish(p *profiler) error {
	f.peak = p.status("VmHWM")
	if err := p.end(syscall.SIGINT); err != nil {
		return fmt.Errorf("hotspan ended with %w\n%s", err, &p.said)
	}
	var err error
	f.counts, err = p.counts()
	return err
}
