package trial

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// watchedEvery is how often the clocks are read during a recording.
const watchedEvery = 20 * time.Millisecond

// reading is what Unix time was ahead of CLOCK_MONOTONIC, in nanoseconds, at a Unix time.
type reading struct{ at, ahead int64 }

// watchClock reads the clocks until end is called, which returns the readings.
func watchClock() (end func() []reading) {
	stop, readings := make(chan struct{}), make(chan []reading)
	go func() {
		var all []reading
		for {
			all = append(all, reading{now(unix.CLOCK_REALTIME), clock()})
			select {
			case <-stop:
				readings <- all
				return
			case <-time.After(watchedEvery):
			}
		}
	}()
	return func() []reading { close(stop); return <-readings }
}

// The time of day may be set while hotspan begins to sample, and then nothing tells what it made of its samples' times.
const (
	beginning = 300 * time.Millisecond // before the first sample
	// maxMoved is how far the time of day may move from one reading to the next: slewing moves it by 10 µs.
	maxMoved = 20 * time.Microsecond
)

// aheadAt returns what Unix time was ahead when hotspan took its first sample, by which it converts all. ok is false if
// the time of day was set about then.
func aheadAt(first int64, all []reading) (ahead int64, ok bool) {
	var then []reading
	for _, r := range all {
		if r.at > first-int64(beginning) && r.at < first+2*int64(watchedEvery) {
			then = append(then, r)
		}
	}
	for i := 1; i < len(then); i++ {
		if time.Duration(then[i].ahead-then[i-1].ahead).Abs() > maxMoved {
			return 0, false
		}
	}
	if len(then) == 0 {
		return 0, false
	}
	return then[len(then)/2].ahead, true
}

// clock returns what Unix time is ahead of CLOCK_MONOTONIC, in nanoseconds: of several readings the one that took the
// least time, since a thread may be preempted between the two clocks.
func clock() (ahead int64) {
	least := int64(math.MaxInt64)
	for range 16 {
		before := now(unix.CLOCK_MONOTONIC)
		wall := now(unix.CLOCK_REALTIME)
		if took := now(unix.CLOCK_MONOTONIC) - before; took < least {
			least, ahead = took, wall-before-took/2
		}
	}
	return ahead
}

func now(clock int32) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		panic(err) // there is no such clock
	}
	return t.Nano()
}
