package requests

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// loopTime is where a uv_loop_t has its time: CLOCK_MONOTONIC in milliseconds when it was last read, which is at least
// once a turn, and when JavaScript code starts a timer. (libuv: include/uv/unix.h, UV_LOOP_PRIVATE_FIELDS)
const loopTime = 0x220

// A uv_timer_t has, behind what any handle has, when it is due by the time of its loop. (libuv: include/uv/unix.h,
// UV_TIMER_PRIVATE_FIELDS)
const (
	typeTimer    = 13 // UV_TIMER
	timerTimeout = handleSize + 32
)

// maxClocks bounds the threads whose clocks are remembered, maxTime what can be the time of a loop.
const maxClocks, maxTime = 1 << 12, 1 << 41

// clockOf is the clock of the thread that a context of JavaScript code belongs to.
func (f *reader) clockOf(context heap.Word) loopClock {
	environment, err := nodejs.Environment(f.r, context)
	if err != nil {
		return loopClock{}
	}
	c, ok := f.clocks[environment]
	if !ok && len(f.clocks) < maxClocks {
		c = f.readClock(environment)
		f.clocks[environment] = c
	}
	return c
}

func (f *reader) readClock(environment uint64) loopClock {
	t, err := nodejs.ReadTimers(f.r, environment)
	if err != nil || t.Base == 0 {
		return loopClock{}
	}
	for at := 0; at+handleSize <= len(t.Head); at += 8 {
		loop := word(t.Head, at+handleLoop)
		if binary.LittleEndian.Uint32(t.Head[at+handleType:]) == typeTimer && f.isLoop(loop) {
			return loopClock{loop, environment + uint64(at), t.Base, t.Wall}
		}
	}
	return loopClock{}
}

// time adds since when a timer runs, and when it is due. start is its _idleStart. Times that contradict each other are
// left out: a timer cannot have been started later than now, and Node.js waits for none beyond the first that is due.
// (node: lib/internal/timers.js, insert; src/env.cc, Environment::RunTimers)
func (f *reader) time(w *Wait, start float64) {
	context, err := f.r.Part(w.Function, layout.JSFunctionContext)
	if err != nil {
		return
	}
	c := f.clockOf(context)
	now, err := f.r.WordAt(c.loop + loopTime)
	timeout, wrong := f.r.WordAt(c.timer + timerTimeout)
	if c.loop == 0 || err != nil || wrong != nil || uint64(now) > maxTime || start < 0 {
		return
	}
	began, last := float64(c.base)+start, float64(now)
	due := began + math.Trunc(w.Delay)
	at := last
	if f.monotonic != nil {
		at = math.Floor(float64(f.monotonic()) / float64(time.Millisecond))
	}
	if began <= last && last <= at && float64(timeout) <= max(due, last+1) {
		if f.instant > 0 {
			at = f.instant
		}
		w.Timed, w.Since, w.Due = true, max(0, at-began), due-at
	}
}

// Died is when the process died, by its clock of the day as far as its event loops have read a clock: in nanoseconds
// since 1970. 0 is not known.
func (f *reader) Died() (at int64) {
	for _, c := range f.clocks {
		now, err := f.r.WordAt(c.loop + loopTime)
		if c.wall > 0 && err == nil && uint64(now) <= maxTime {
			at = max(at, c.wall+int64(now)*int64(time.Millisecond))
		}
	}
	return at
}
