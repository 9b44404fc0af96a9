package e2e

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// requestRun is a way to run requests.js. With each it runs on each Node.js that eachNode chooses, else on those of one
// major, unless -all is given.
type requestRun struct {
	name  string
	each  bool
	major string
	flags []string
	env   []string
	rules []string
	want  func(*truth.Label) map[string]any
	// If resources have the stores, it takes some samples to learn where.
	percent float64       // of the samples in request code that must have their labels; 0 = 99.8
	length  time.Duration // 0 = 5 s
}

// collecting are options with which V8 runs many small collections.
var collecting = []string{"--max-semi-space-size=1"}

var requestRuns = []requestRun{
	{name: "plain", each: true, env: []string{"MODE=plain"}, rules: judge.StoreRules, want: judge.RequestLabels},
	{name: "gc", each: true, flags: collecting, length: 10 * time.Second, env: []string{"MODE=gc"},
		rules: judge.StoreRules, want: judge.RequestLabels},
	{name: "dictionaries", major: "24.", env: []string{"STORES=dictionary"}, rules: judge.StoreRules,
		want: judge.RequestLabels},
	{name: "maps in collections", major: "26.", flags: collecting, env: []string{"STORES=map", "MODE=gc"},
		rules: judge.MapRules, want: judge.RequestLabels},
	{name: "OpenTelemetry SDK 3", major: "26.", length: 3 * time.Second, env: []string{"TRACER=opentelemetry 3"},
		rules: judge.StoreRules, want: judge.RequestLabels},
	{name: "OpenTelemetry SDK 3 in collections", major: "22.", flags: collecting, length: 10 * time.Second,
		env: []string{"TRACER=opentelemetry 3", "MODE=gc"}, rules: judge.StoreRules, want: judge.RequestLabels},
	{name: "dd-trace", major: "26.", env: []string{"TRACER=datadog"}, rules: judge.StoreRules,
		want: judge.DatadogLabels},
	{name: "dd-trace 5.107", major: "24.", length: 3 * time.Second, env: []string{"TRACER=datadog 5"},
		rules: judge.StoreRules, want: judge.DatadogLabels},
	{name: "Sentry", major: "26.", length: 3 * time.Second, env: []string{"TRACER=sentry"}, rules: judge.StoreRules,
		want: judge.SentryLabels},
	{name: "Sentry in collections", major: "22.", flags: collecting, env: []string{"TRACER=sentry", "MODE=gc"},
		rules: judge.StoreRules, want: judge.SentryLabels},
	{name: "Sentry 10", major: "24.", length: 3 * time.Second, env: []string{"TRACER=sentry 10"},
		rules: judge.StoreRules, want: judge.SentryLabels},
	{name: "dd-trace in collections", major: "22.", flags: collecting, length: 10 * time.Second,
		env: []string{"TRACER=datadog", "MODE=gc", "STORES=mixed"}, rules: judge.StoreRules, want: judge.DatadogLabels},
}

// TestRequests: sixteen requests at a time, interleaved through all kinds of continuation. Each sample must have the
// labels of the request whose code ran, in collections too, and none if no request ran. With -all, each run is longer
// and on each Node.js.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, r := range requestRuns {
		t.Run(r.name, func(t *testing.T) {
			eachFrameNode(t, func(t *testing.T, node string, flags []string) {
				if *all {
					r.length = 14 * time.Second
				}
				if r.each || *all || strings.HasPrefix(versionOf(node).Version, r.major) {
					r.run(t, node, flags)
				}
			})
		})
	}
}

// run records a run of requests.js, and a longer one if too many samples lack labels: where resources have the stores,
// that is learned at the start, which weighs less in a longer one. No recording may have a wrong label.
func (r requestRun) run(t *testing.T, node string, flags []string) {
	const most = 20 * time.Second
	percent := cmp.Or(r.percent, 99.8)
	for d := cmp.Or(r.length, 5*time.Second); ; d = most {
		p := start(t, node, "requests.js", append(flags, r.flags...), r.env)
		enough := int(d.Seconds() * 500)
		samples := recordEnoughJS(t, hotspan, p.PID, 1997, 3*enough/2, d, judge.Flags(r.rules)...)
		l := p.truth(t)
		v := judge.CompareLabels(samples, l, r.want)
		if d >= most || v.Right.Percent() >= percent || v.Wrong > 0 || v.Outside > 0 {
			compareLabels(t, samples, l, r.want, bound{percent, enough})
			return
		}
		t.Logf("samples labelled right: %v in %v: once more, for longer", v.Right, d)
	}
}

// bound is how many samples there must be in the code of requests, and how many percent of them with right labels.
type bound struct {
	percent float64
	samples int
}

// compareLabels checks that no label is wrong, and that as many are right as least says.
func compareLabels(t *testing.T, samples []judge.Sample, l *truth.Log, want func(*truth.Label) map[string]any,
	least bound) (v judge.Labels) {
	t.Helper()
	v = judge.CompareLabels(samples, l, want)
	tell(t, v.Examples.List())
	atLeast(t, v.Right, "samples in request code labelled right", least.percent, least.samples)
	t.Logf("in collections: %v; missing: %v", v.GC, v.Missing)
	if v.Wrong > 0 || v.Outside > 0 {
		t.Errorf("%d samples with wrong labels, %d labelled where no context is valid, want none", v.Wrong, v.Outside)
	}
	return v
}
