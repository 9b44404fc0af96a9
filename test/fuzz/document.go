package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/test/results"
)

const documentFile = "docs/safety.md"

// figures matches what summary returns.
var figures = regexp.MustCompile(`(?s)\d+ fuzz functions have run .*?:\n\n(\|[^\n]*\n)+`)

// sum is what runs come to.
type sum struct {
	functions  map[string]bool
	seconds    float64
	executions int
	failed     int
}

func (s *sum) add(r result) {
	if s.functions == nil {
		s.functions = map[string]bool{}
	}
	s.functions[r.function.String()] = true
	s.seconds += r.Seconds
	s.executions += r.Executions
	if r.Failed != "" {
		s.failed++
	}
}

// summary is the sentence and the table of the document, by package.
func summary(ran []result) string {
	var all sum
	packages := map[string]*sum{}
	for _, r := range ran {
		if packages[r.Package] == nil {
			packages[r.Package] = &sum{}
		}
		all.add(r)
		packages[r.Package].add(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d fuzz functions have run for %.1f hours of CPU time, with %.1f million inputs. "+
		"%d runs failed:\n\n"+
		"| package | functions | CPU time, minutes | inputs, thousands | runs that failed |\n|---|---|---|---|---|\n",
		len(all.functions), all.seconds/3600, float64(all.executions)/1e6, all.failed)
	var names []string
	for name := range packages {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s := packages[name]
		fmt.Fprintf(&b, "| %s | %d | %.1f | %d | %d |\n", name, len(s.functions), s.seconds/60, s.executions/1000,
			s.failed)
	}
	return b.String()
}

// writeDocument writes the figures anew.
func writeDocument() error {
	ran, err := results.Read[result](resultsFile)
	if err != nil {
		return err
	}
	return results.Put(documentFile, figures, summary(ran))
}
