package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/test/results"
)

const documentFile = "docs/safety.md"

// figures matches what summary returns.
var figures = regexp.MustCompile(`(?s)\d+ tests have run .*?:\n\n(\|[^\n]*\n)+(\n\| test \| [^\n]*\n(\|[^\n]*\n)+)?`)

// row is what the tests of a package come to.
type row struct {
	of
	tests map[string]int // runs of each
}

func (w *row) add(r result) {
	if w.tests == nil {
		w.tests = map[string]int{}
	}
	w.tests[r.Package+" "+r.Test] += r.Runs
	w.runs, w.failed, w.seconds = w.runs+r.Runs, w.failed+r.Failed, w.seconds+r.Seconds
}

// each is how often each test has run: a number, or the least and the greatest.
func (w *row) each() string {
	least, most := w.runs, 0
	for _, n := range w.tests {
		least, most = min(least, n), max(most, n)
	}
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// summary is the sentence and the tables of the document: by package, and of tests that have failed.
func summary(all []result) string {
	long := slices.DeleteFunc(slices.Clone(all), func(r result) bool {
		return sum(all, test{name: r.Test, path: r.Package}).wanted(2) == 1
	})
	var whole row
	packages := map[string]*row{}
	for _, r := range long {
		if packages[r.Package] == nil {
			packages[r.Package] = &row{}
		}
		whole.add(r)
		packages[r.Package].add(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d tests have run %d times, %s times each, which took %.1f hours. Runs that failed: %d:\n\n"+
		"| package | tests | runs | runs per test | minutes | runs that failed |\n|---|---|---|---|---|---|\n",
		len(whole.tests), whole.runs, whole.each(), whole.seconds/3600, whole.failed)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		p := packages[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %.1f | %d |\n", name, len(p.tests), p.runs, p.each(), p.seconds/60,
			p.failed)
	}
	return b.String() + failures(long)
}

// failures is a table of the tests that have failed, by commit, with how often they have run at others since.
func failures(all []result) string {
	var b strings.Builder
	for i, r := range all {
		if r.Failed == 0 {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n| test | commit | failed runs at this commit | later runs, of these failed |\n" +
				"|---|---|---|---|\n")
		}
		later := sum(all[i+1:], test{name: r.Test, path: r.Package})
		fmt.Fprintf(&b, "| %s %s | %s | %d of %d | %d, %d |\n", r.Package, r.Test, r.Commit, r.Failed, r.Runs,
			later.runs, later.failed)
	}
	return b.String()
}

// write writes the results, and the figures of the document.
func write(all []result) error {
	if err := results.Write(resultsFile, all); err != nil {
		return err
	}
	return results.Put(documentFile, figures, summary(all))
}
