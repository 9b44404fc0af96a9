package record

import (
	"context"
	"fmt"
	"sync"

	"github.com/hotspan/hotspan/agent/cli/tables"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
)

// summary adds up what is recorded, for a short report at the end. It is an agent.Sink.
type summary struct {
	mu sync.Mutex
	of *tables.Reports
}

func newSummary() *summary {
	s := &summary{of: tables.NewReports("")}
	s.of.Short()
	return s
}

func (s *summary) Name() string { return "the report" }

// Write implements agent.Sink.
func (s *summary) Write(_ context.Context, snapshot *pprofx.Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of.Add(snapshot)
	return nil
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
			tables.PrintSummary(c, r, summaryLines)
			some = true
		}
	}
	if some {
		fmt.Fprintln(c)
	}
}
