package watch

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// eachNanosecond returns a snapshot with a sample each nanosecond from start on, one for each value of a label, and
// lost samples.
func eachNanosecond(t *testing.T, start, lost int64, values ...string) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(start, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, value := range values {
		b.Add(&pprofx.Sample{Time: start + int64(i), PID: 1, TID: 2, Thread: "loop", Stop: pprofx.StopRoot,
			Labels: []pprofx.Label{{Key: "user", Str: value}, {Key: "number", Num: 7}}})
	}
	b.Lose(pprofx.LostFull, lost)
	return b.Cut(start + int64(len(values)))
}

// A wait ends with the sample that makes the number full, and counts what is lost until then.
func TestAwaitedSamples(t *testing.T) {
	cmd := Wait{ForSamples: 3, ForLabel: []string{"user=b", "number=7", "number"}}
	labels, err := cmd.labelFilter()
	if err != nil {
		t.Fatal(err)
	}
	ends := 0
	a := &awaited{need: 3, labels: labels, end: func() { ends++ }, stalls: report.NewStalls(0)}
	a.add(eachNanosecond(t, 100, 5, "a", "b", "a"))
	a.missed(2)
	lack := "1 with user=b number=7 number, of 3 samples, 7 lost"
	if w := a.ended(); ends != 0 || w.Outcome != "" || cmd.lack(w) != lack {
		t.Errorf("%d ends, %+v", ends, w)
	}
	a.add(eachNanosecond(t, 200, 1, "b", "a", "b", "b"))
	a.add(eachNanosecond(t, 300, 1, "b"))
	got := a.ended()
	labelled := map[string]any{"user": "b", "number": int64(7)}
	want := waited{Outcome: "seen", Time: 202, Samples: 7, Matching: 4, Lost: 8, After: got.After}
	sample := got.Sample
	if got.Sample = nil; ends != 1 || *got != want {
		t.Errorf("%d ends, %+v, want %+v", ends, got, want)
	}
	if diff := cmp.Diff(labelled, sample.Labels); diff != "" || sample.PID != 1 || sample.TID != 2 {
		t.Errorf("%+v: %s", sample, diff)
	}
	got.Sample = sample
	var out strings.Builder
	if err := cmd.print(&out, got); err != nil {
		t.Fatal(err)
	}
	says := "process 1, thread 2 loop, user=b, number=7: 4 of 7 samples\n"
	if !strings.HasPrefix(out.String(), "1970-01-01T00:00:00.000Z after ") || !strings.HasSuffix(out.String(), says) {
		t.Errorf("%s", &out)
	}
}

// What ends a wait decides its exit code, whatever is said of it.
func TestUnseen(t *testing.T) {
	for name, c := range map[string]struct {
		pid        []int
		cause, err error
		code       int
		says       string
	}{
		"timeout": {[]int{1}, errTimeout, nil, exit.Timeout, "hotspan: timeout after 0s: 0 samples, 0 lost\n"},
		"end":     {[]int{1}, nil, nil, exit.Ended, "hotspan: the processes have ended: 0 samples, 0 lost\n"},
		"gone":    {[]int{1}, nil, agent.ErrGone, exit.Ended, "hotspan: " + agent.ErrGone.Error() + "\n"},
		"failure": {[]int{1}, errTimeout, errors.New("no BPF"), exit.Failed, "hotspan: no BPF\n"},
		"signal":  {[]int{1}, errors.New("signal"), nil, exit.Failed, "hotspan: interrupted: 0 samples, 0 lost\n"},
		"agent":   {nil, nil, nil, exit.Failed, "hotspan: the agent has ended: 0 samples, 0 lost\n"},
	} {
		for _, quiet := range []bool{false, true} {
			v := Wait{ForSamples: 1}
			v.PID, v.Quiet = c.pid, quiet
			var w waited
			var said strings.Builder
			code := exit.Code(v.unseen(&w, c.cause, c.err), "", &said)
			says := c.says
			if quiet && code != exit.Failed {
				says = ""
			}
			if code != c.code || said.String() != says || (w.Outcome == "") != (code == exit.Failed) {
				t.Errorf("%s, quiet %v: code %d, outcome %q, %s", name, quiet, code, w.Outcome, &said)
			}
		}
	}
}
