package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// bench is what all parts of the benchmark need.
type bench struct {
	node      string
	app       string     // node_modules with the npm package hotspan
	profilers []profiler // hotspan first
	dir       string     // for what profilers write
	plan      plan
}

// plan says how long to measure. The whole plan has a minute of each profiler with a busy process and with an idle one,
// and takes three profilers less than ten minutes at 99 Hz on a machine that does nothing else.
type plan struct {
	rounds      int           // with one busy process
	busy        time.Duration // of CPU time of the service in each of them, for each profiler
	alone       time.Duration // the same without a profiler
	window      time.Duration // in which they are measured together
	starts      int           // of each kind
	manyRounds  int
	manySeconds time.Duration
	requests    int // of contexts.js, in each of the rounds
	turnRounds  int
	turns       int // of contexts.js
}

const windows = 3

var (
	wholePlan = plan{rounds: 6, busy: 10 * time.Second, alone: 5 * time.Second, window: 20 * time.Second, starts: 7,
		manyRounds: 3, manySeconds: 20 * time.Second, requests: 20000, turnRounds: 3, turns: 140000}
	shortPlan = plan{rounds: 3, busy: 4 * time.Second, alone: 3 * time.Second, window: 4 * time.Second, starts: 1,
		manyRounds: 2, manySeconds: 5 * time.Second, requests: 4000, turnRounds: 2, turns: 10000}
)

// progress says on stderr what is measured, since it takes minutes.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s  "+format+"\n", append([]any{time.Now().Format(time.TimeOnly)}, args...)...)
}

// cache is the directory where a profiler keeps files from one start to the next.
func (b *bench) cache(p profiler) string {
	return filepath.Join(b.dir, "cache-"+strconv.Itoa(slices.IndexFunc(b.profilers, func(other profiler) bool {
		return other.name == p.name
	})))
}

// attach starts a profiler and waits until it samples. The watch must be ended.
func (b *bench) attach(ctx context.Context, p profiler, r recording) (*watch, error) {
	r.dir, r.cache = b.dir, b.cache(p)
	s, err := p.start(ctx, r)
	if err != nil {
		return nil, err
	}
	w := watchSession(s)
	if err := w.started(); err != nil {
		return nil, s.abandon(fmt.Errorf("start of %s: %w", p.name, err))
	}
	return w, nil
}

func pidTarget(pid int) []string { return []string{"-p", strconv.Itoa(pid)} }

// inOrder are the numbers below n in the order of a round: each begins with another one, and every second round goes
// backwards, so that what drifts with time, or follows from what came before, meets all alike.
func inOrder(n, round int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = (i + round/2) % n
	}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}
