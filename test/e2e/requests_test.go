package e2e

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth"
)

// labelVerdict is the comparison of labels with the truth.
type labelVerdict struct {
	right, gc share // samples inside request code, and those of them in a collection, that have all labels right
	wrong     int
	outside   int            // samples of no request that have labels all the same
	missing   map[string]int // labels that are not there, together
}

// compareLabels judges each sample that lies inside an interval of the truth.
func compareLabels(t *testing.T, samples []sample, l *truth.Log, want func(*truth.Label) map[string]any) labelVerdict {
	v := labelVerdict{missing: map[string]int{}}
	for i := range samples {
		s := &samples[i]
		at, ok := l.AtUnix(s.T, s.TID)
		if !ok {
			continue
		}
		if at.Label == nil {
			v.judgeOutside(t, s)
			continue
		}
		v.judge(t, s, want(at.Label))
	}
	return v
}

func (v *labelVerdict) judgeOutside(t *testing.T, s *sample) {
	if len(s.Labels) == 0 {
		return
	}
	v.outside++
	if v.outside <= 5 {
		t.Logf("labels where no request ran: %v of %v", s.Labels, s)
	}
}

func (v *labelVerdict) judge(t *testing.T, s *sample, want map[string]any) {
	var missing []string
	wrong := false
	for key, value := range want {
		got, ok := s.Labels[key]
		if !ok {
			missing = append(missing, key)
		}
		wrong = wrong || ok && got != value
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		v.missing[strings.Join(missing, " ")]++
	}
	for key := range s.Labels {
		if _, ok := want[key]; !ok {
			wrong = true
		}
	}
	if wrong {
		v.wrong++
	}
	v.right.count(len(missing) == 0 && !wrong)
	if s.State == "gc" {
		v.gc.count(len(missing) == 0 && !wrong)
	}
	if wrong && v.wrong <= 5 || len(missing) > 0 && v.right.whole-v.right.part < 5 {
		t.Logf("labels %v, want %v, of %v", s.Labels, want, s)
	}
}

// requestLabels are the labels that a request of requests.js must have.
func requestLabels(l *truth.Label) map[string]any {
	want := map[string]any{
		"trace_id": l.TraceID, "span_id": l.SpanID,
		"endpoint": l.Endpoint, "tenant": l.Tenant, "user": l.User, "premium": strconv.FormatBool(l.Premium),
		"baggage": l.Tenant,
	}
	if l.Route != "" {
		want["http.route"] = l.Route
	} else {
		want["http.request.method"] = l.Method
		want["url.path"], _, _ = strings.Cut(l.Target, "?")
	}
	return want
}

// datadogLabels are those with dd-trace, which knows the route after the response only and has no baggage here.
func datadogLabels(l *truth.Label) map[string]any {
	want := requestLabels(l)
	delete(want, "baggage")
	delete(want, "http.route")
	want["http.request.method"], want["url.path"] = l.Method, l.Target
	return want
}

// storeRules are the rules for the app stores of requests.js: objects, and Maps.
var (
	storeRules = []string{"endpoint=endpoint", "tenant=user.tenant", "user=user.id", "premium=store.premium", `baggage=baggage("tenant")`}
	mapRules   = []string{
		`endpoint=get("endpoint")`, `tenant=get(Symbol.for("app user")).get("tenant")`, `premium=get("premium")`,
		`user=store.get(Symbol.for("app user")).get(Symbol("id of the user"))`, `baggage=baggage("tenant")`,
	}
)

// requestRun is a way to run requests.js. each means on each Node.js, else on those of one line unless
// -all is given.
type requestRun struct {
	name  string
	each  bool
	major string
	flags []string
	env   []string
	rules []string
	want  func(*truth.Label) map[string]any
	// Where resources have the stores more hidden classes are met before they are learnt.
	percent float64 // of the samples in request code that must have their labels; 0 = 99.5
	length  int     // seconds; 0 = the usual
}

var requestRuns = []requestRun{
	{name: "plain", each: true, env: []string{"MODE=plain"}, rules: storeRules, want: requestLabels},
	{name: "gc", each: true, flags: []string{"--max-semi-space-size=1"}, env: []string{"MODE=gc"}, rules: storeRules, want: requestLabels},
	{name: "dictionaries", major: "24.", env: []string{"STORES=dictionary"}, rules: storeRules, want: requestLabels},
	{name: "maps in collections", major: "26.", flags: []string{"--max-semi-space-size=1"}, env: []string{"STORES=map", "MODE=gc"}, rules: mapRules, want: requestLabels},
	{name: "dd-trace", major: "26.", env: []string{"TRACER=datadog"}, rules: storeRules, want: datadogLabels},
	{name: "dd-trace in collections", major: "22.", flags: []string{"--max-semi-space-size=1"}, env: []string{"TRACER=datadog", "MODE=gc", "STORES=mixed"}, rules: storeRules, want: datadogLabels},
}

// seconds is how long requests.js runs: 14, or 8 where it runs for one Node.js only. REQUEST_SECONDS makes it longer.
func (r requestRun) seconds() int {
	if n, err := strconv.Atoi(os.Getenv("REQUEST_SECONDS")); err == nil {
		return n
	}
	switch {
	case r.length > 0:
		return r.length
	case r.each:
		return 14
	}
	return 8
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
	n := r.seconds()
	p := start(t, node, "requests.js", flags, append([]string{fmt.Sprintf("DURATION_MS=%d000", n)}, r.env...))
	var args []string
	for _, rule := range r.rules {
		args = append(args, "--label", rule)
	}
	samples := record(t, p.pid, 997, time.Duration(n-2)*time.Second, args...)
	v := compareLabels(t, samples, p.truth(t), r.want)
	v.right.atLeast(t, "samples in request code labelled right", cmp.Or(r.percent, 99.5), 400*(n-2))
	t.Logf("in collections: %v; missing: %v", v.gc, v.missing)
	if v.wrong > 0 || v.outside > 0 {
		t.Errorf("%d samples with wrong labels, %d labelled where no request ran, want none", v.wrong, v.outside)
	}
}
