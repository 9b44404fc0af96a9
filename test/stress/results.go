package main

import (
	"math"

	"github.com/hotspan/hotspan/test/results"
)

const resultsFile = "test/stress/results.jsonl"

// result is what runs of a test have shown, one after the other: those of a commit from the one on that failed, or
// others, of which none failed.
type result struct {
	Package, Test string
	Commit        string // of the last run, the first digits of its hash; with + if files were changed
	Runs          int
	Failed        int     `json:",omitempty"` // of Runs
	Seconds       float64 // that all took, as the test itself says
}

// of is what the runs of a test come to.
type of struct {
	runs, failed int
	seconds      float64
}

// sum adds up the results of a test at all commits.
func sum(all []result, t test) (s of) {
	for _, r := range all {
		if r.Package == t.path && r.Test == t.name {
			s.runs, s.failed, s.seconds = s.runs+r.Runs, s.failed+r.Failed, s.seconds+r.Seconds
		}
	}
	return s
}

// brief is how long a test may take, in seconds, of which one run is enough: it starts no Node.js, and waits for
// nothing.
const brief = 0.1

// wanted is how often a test is to run in all.
func (s of) wanted(rounds int) int {
	if s.runs > 0 && s.failed == 0 && s.seconds/float64(s.runs) < brief {
		return 1
	}
	return rounds
}

// with adds a run to results. A failure begins a line of its commit: what was there before does not count to it, and
// at the same commit it is not mended.
func with(all []result, t test, commit string, seconds float64, failed bool) []result {
	last := -1
	for i, r := range all {
		if r.Package == t.path && r.Test == t.name {
			last = i
		}
	}
	if last < 0 || all[last].Failed == 0 && failed || all[last].Failed > 0 && all[last].Commit != commit {
		last, all = len(all), append(all, result{Package: t.path, Test: t.name})
	}
	r := &all[last]
	r.Commit = commit
	r.Runs++
	r.Seconds = math.Round(100*(r.Seconds+seconds)) / 100
	if failed {
		r.Failed++
	}
	return all
}

// next is the test that has run least of those that have not run as often as they should; ok is false if all have.
func next(tests []test, all []result, rounds int) (t test, ok bool) {
	least := 0
	for _, candidate := range tests {
		s := sum(all, candidate)
		if s.runs < s.wanted(rounds) && (!ok || s.runs < least) {
			t, least, ok = candidate, s.runs, true
		}
	}
	return t, ok
}

func readResults() ([]result, error) { return results.Read[result](resultsFile) }
