package nodejs

import (
	"fmt"
	"math"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
)

// Timers is what an Environment of Node.js has of time.
type Timers struct {
	// Head is the Environment up to its async_hooks. In it is timer_handle_, by which libuv says that timers are due.
	Head []byte
	// Base is the time of the event loop from which timers in JavaScript count, in milliseconds; 0: it was not found.
	Base uint64
	// Wall is CLOCK_REALTIME less CLOCK_MONOTONIC when the process began, in nanoseconds; 0: not known. It holds until
	// somebody sets the clock. Before Node.js 20 it is not known.
	Wall int64
}

// Environment returns the address of the Environment that a context of JavaScript code belongs to.
func Environment(r *heap.Reader, context heap.Word) (uint64, error) { return environmentOf(r, context) }

// ReadTimers reads what the Environment at an address has of time. An error wraps ErrNoEnvironment.
func ReadTimers(r *heap.Reader, environment uint64) (Timers, error) {
	b, err := readEnvironment(r, environment)
	if err != nil {
		return Timers{}, err
	}
	hooks, next, ok := hooksBuffers(b)
	if !ok {
		return Timers{}, fmt.Errorf("%w at 0x%x: %w", ErrNoEnvironment, environment, ErrUnknownHooks)
	}
	list := words(b[next:])
	return Timers{Head: b[:hooks], Base: timerBase(list), Wall: wallClock(list)}, nil
}

// sharedCounts is the size of the counts before an object that std::make_shared made, with their virtual table.
// (libstdc++, bits/shared_ptr_base.h, _Sp_counted_ptr_inplace)
const sharedCounts = 16

// maxTimerBase bounds what can be the age of a machine, in milliseconds: 68 years.
const maxTimerBase = 1 << 41

// maxStarting bounds how long after timer_base_ the Environment is there, in milliseconds.
const maxStarting = 10_000

// timerBase finds timer_base_ behind the async_hooks. It is a number before a std::shared_ptr whose object lies behind
// its counts, as std::make_shared has it: that is env_vars_. And soon after that time the Environment was made: it has
// environment_start_time_ or, since Node.js 20, environment_start_, by the same clock in nanoseconds. A pointer may
// look like a time: if there are two of such numbers, neither is known to be it. (node: src/env.h)
func timerBase(list []uint64) (base uint64) {
	for i := 0; i+2 < len(list); i++ {
		n, object, counts := list[i], list[i+1], list[i+2]
		if n == 0 || n >= maxTimerBase || counts == 0 || counts&7 != 0 || object != counts+sharedCounts {
			continue
		}
		isStart := func(ns uint64) bool { return ns/1e6 >= n && ns/1e6-n < maxStarting }
		if !slices.ContainsFunc(list[i+3:], isStart) {
			continue
		}
		if base != 0 && base != n {
			return 0
		}
		base = n
	}
	return base
}

// wallClock finds time_origin_ and time_origin_timestamp_, which are the same time by both clocks: nanoseconds, and
// microseconds as a double. (node: src/env.h)
func wallClock(list []uint64) int64 {
	const first, last = 1.4e15, 4.1e15 // 2014 to 2099, in microseconds
	for i := 0; i+1 < len(list); i++ {
		wall := math.Float64frombits(list[i+1])
		if n := list[i]; n != 0 && n/1e6 < maxTimerBase && first < wall && wall < last {
			return int64(wall)*1e3 - int64(n)
		}
	}
	return 0
}
