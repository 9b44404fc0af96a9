package record

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hotspan/hotspan/agent/cli/tables"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// summary adds up what is recorded, for a short report at the end. It is an agent.Sink.
type summary struct {
	mu   sync.Mutex
	by   string // the first of the user's labels, for where no sample has a route
	of   *tables.Reports
	tags []string // labels by which pprof may group samples, the best first
	seen map[string]bool
}

// newSummary returns the summary of a recording with these rules of the user's.
func newSummary(rules ...reqctx.Rule) *summary {
	s := &summary{tags: []string{routeLabel}, seen: map[string]bool{}}
	for _, r := range rules {
		s.by, s.tags = cmp.Or(s.by, r.Label), append(s.tags, r.Label)
	}
	s.of = tables.NewReports(s.by)
	s.of.Short()
	return s
}

func (s *summary) Name() string { return "the report" }

// Write implements agent.Sink.
func (s *summary) Write(_ context.Context, snapshot *pprofx.Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of.Add(snapshot)
	for _, set := range snapshot.LabelSets {
		for _, l := range set {
			if slices.Contains(s.tags, l.Key) {
				s.seen[l.Key] = true
			}
		}
	}
	return nil
}

const routeLabel = "http.route"

// tag returns the route, or where no sample has one the first of the user's labels that some have; empty for none.
func (s *summary) tag() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tag := range s.tags {
		if s.seen[tag] {
			return tag
		}
	}
	return ""
}

// summaryLines is how many lines a table of the short report has.
const summaryLines = 5

// print prints the routes and functions with most CPU time, and with most hits, if there are samples.
func (s *summary) print(c terminal.Console) {
	s.mu.Lock()
	defer s.mu.Unlock()
	some := false
	for _, r := range s.of.All() {
		if r.Samples > 0 {
			tables.PrintSummary(c, r, s.by, summaryLines)
			some = true
		}
	}
	if some {
		fmt.Fprintln(c)
	}
}
