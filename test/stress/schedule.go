package main

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

type options struct {
	rounds, atOnce int
	only           string
	end            time.Time
}

// schedule runs tests side by side, each at most once at a time, and keeps what came of them.
type schedule struct {
	options
	commit  string
	mutex   sync.Mutex
	tests   []test // that may run
	running []test
	draws   int // so far
	results []result
	failed  []error
}

// run runs tests until all have run as often as they should, or the time is over.
func (s *schedule) run() {
	var running sync.WaitGroup
	for range s.atOnce {
		running.Go(func() {
			for t, text, ok := s.begin(); ok; t, text, ok = s.begin() {
				s.ended(t, t.run(text))
			}
		})
	}
	running.Wait()
}

// begin returns the next test, and what draws of it. It returns none if the time is over, results cannot be written, or
// no other test is to run.
func (s *schedule) begin() (t test, text string, ok bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !time.Now().Before(s.end) {
		return t, "", false
	}
	waiting := slices.DeleteFunc(slices.Clone(s.tests), func(t test) bool { return slices.Contains(s.running, t) })
	if t, ok = next(waiting, s.results, s.rounds); ok {
		s.running = append(s.running, t)
		s.draws++
	}
	return t, strconv.Itoa(s.draws) + s.end.String(), ok
}

// ended keeps what came of a test, and writes all results.
func (s *schedule) ended(t test, r run) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other test) bool { return other == t })
	switch {
	case r.undrawn:
		return
	case r.skipped:
		fmt.Println("skipped", t)
		s.tests = slices.DeleteFunc(s.tests, func(other test) bool { return other == t })
		return
	case r.failed:
		fmt.Printf("FAILED %s: %s\n", t, r.said)
		s.failed = append(s.failed, fmt.Errorf("%s has failed", t))
	}
	s.results = with(s.results, t, s.commit, r.seconds, r.failed)
	if err := write(s.results); err != nil {
		s.failed = append(s.failed, err)
		s.end = time.Now()
	}
}
