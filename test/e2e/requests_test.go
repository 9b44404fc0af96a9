package e2e

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// datadogLabels are those with dd-trace, which knows the route after the response only and has no baggage here.
func datadogLabels(l *truth.Label) map[string]any {
	want := judge.RequestLabels(l)
	delete(want, "baggage")
	delete(want, "http.route")
	want["http.request.method"], want["url.path"] = l.Method, l.Target
	return want
}

// mapRules are judge.RequestRules for app stores that are Maps.
var mapRules = judge.Rules(
	`endpoint=get("endpoint")`, `tenant=get(Symbol.for("app user")).get("tenant")`, `premium=get("premium")`,
	`user=store.get(Symbol.for("app user")).get(Symbol("id of the user"))`, `baggage=baggage("tenant")`,
)

// requestRun is a way to run requests.js. each means on each Node.js, else on those of one line unless
// -all is given.
type requestRun struct {
	name  string
	each  bool
	major string
	flags []string
	env   []string
	rules []string // flags of hotspan record
	want  func(*truth.Label) map[string]any
	// Where resources have the stores more hidden classes are met before they are learnt.
	percent float64 // of the samples in request code that must have their labels; 0 = 99.5
	length  int     // seconds; 0 = the usual
}

var requestRuns = []requestRun{
	{name: "plain", each: true, env: []string{"MODE=plain"}, rules: judge.RequestRules, want: judge.RequestLabels},
	{name: "gc", each: true, flags: []string{"--max-semi-space-size=1"}, env: []string{"MODE=gc"}, rules: judge.RequestRules, want: judge.RequestLabels},
	{name: "dictionaries", major: "24.", env: []string{"STORES=dictionary"}, rules: judge.RequestRules, want: judge.RequestLabels},
	{name: "maps in collections", major: "26.", flags: []string{"--max-semi-space-size=1"}, env: []string{"STORES=map", "MODE=gc"}, rules: mapRules, want: judge.RequestLabels},
	{name: "dd-trace", major: "26.", env: []string{"TRACER=datadog"}, rules: judge.RequestRules, want: datadogLabels},
	{name: "dd-trace in collections", major: "22.", flags: []string{"--max-semi-space-size=1"}, env: []string{"TRACER=datadog", "MODE=gc", "STORES=mixed"}, rules: judge.RequestRules, want: datadogLabels},
}

// seconds is how long requests.js is sampled: 8, or 6 where it runs for one Node.js only. REQUEST_SECONDS makes it longer.
func (r requestRun) seconds() int {
	if n, err := strconv.Atoi(os.Getenv("REQUEST_SECONDS")); err == nil {
		return n
	}
	switch {
	case r.length > 0:
		return r.length
	case r.each:
		return 8
	}
	return 6
}

// TestRequests: sixteen requests at a time, interleaved through all kinds of continuation; each sample must have the
// labels of the request whose code ran, in collections too, and none where none did.
func TestRequests(t *testing.T) {
	for _, r := range requestRuns {
		t.Run(r.name, func(t *testing.T) {
			eachFrameNode(t, func(t *testing.T, node string, flags []string) {
				if r.each || *all || strings.HasPrefix(versionOf(node).Version, r.major) {
					r.run(t, node, append(flags, r.flags...))
				}
			})
		})
	}
}

func (r requestRun) run(t *testing.T, node string, flags []string) {
	d := time.Duration(r.seconds()) * time.Second
	p := start(t, node, "requests.js", flags, append([]string{fmt.Sprintf("DURATION_MS=%d", (d + time.Minute).Milliseconds())}, r.env...))
	samples := record(t, p.PID, 1997, d, r.rules...)
	compareLabels(t, samples, p.truth(t), r.want, bound{cmp.Or(r.percent, 99.5), int(d.Seconds() * 625)})
}

// bound is how many percent of the samples in the code of requests must be labelled right, and of how many.
type bound struct {
	percent float64
	samples int
}

// compareLabels asks for labels of which none is wrong, and for as many right ones as least says.
func compareLabels(t *testing.T, samples []judge.Sample, l *truth.Log, want func(*truth.Label) map[string]any, least bound) {
	t.Helper()
	v := judge.CompareLabels(samples, l, want)
	tell(t, v.Examples.List())
	atLeast(t, v.Right, "samples in request code labelled right", least.percent, least.samples)
	t.Logf("in collections: %v; missing: %v", v.GC, v.Missing)
	if v.Wrong > 0 || v.Outside > 0 {
		t.Errorf("%d samples with wrong labels, %d labelled where no context is valid, want none", v.Wrong, v.Outside)
	}
}
