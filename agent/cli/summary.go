package cli

import (
	"context"
	"sync"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// summary adds up what is recorded, for a short report at the end. It is an agent.Sink.
type summary struct {
	mu sync.Mutex
	b  *report.Builder
}

func newSummary() *summary { return &summary{b: report.NewBuilder("")} }

func (s *summary) Name() string { return "the report" }

// Write implements agent.Sink.
func (s *summary) Write(_ context.Context, snapshot *pprofx.Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Add(snapshot)
	return nil
}

// summaryLines is how many lines a table of the short report has.
const summaryLines = 5

// print prints the routes and functions with most CPU time, if there are samples.
func (s *summary) print(c console) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.b.Report(); r.Samples > 0 {
		printSummary(c, r, summaryLines)
	}
}
