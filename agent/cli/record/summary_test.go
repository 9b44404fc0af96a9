package record

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
)

// The end of a recording says the most important of it.
func TestSummary(t *testing.T) {
	s := newSummary()
	add := func(one *pprofx.Snapshot) error { return s.Write(t.Context(), one) }
	err := new(recording.FilterFlags).EachSnapshot(terminal.Console{}, []string{recordingtest.Ranking(t)}, add)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s.print(terminal.Console{Writer: &out})
	want := `
CPU by route
     500 ms  50.0 %  (no route)
     500 ms  50.0 %  /ranking                            gc 60 %

CPU by function: of its own, with what V8, Node and the kernel did for it; with callees; hottest line
     500 ms     500 ms  50.0 %  idle                                x/idle.js:3
     500 ms     500 ms  50.0 %  rank [2J                            routes/ranking.js:7, gc 60 %

`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	out.Reset()
	if newSummary().print(terminal.Console{Writer: &out}); out.Len() > 0 {
		t.Errorf("of nothing: %s", &out)
	}
}
