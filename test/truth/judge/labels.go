package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/test/truth"
)

// Labels is the comparison of labels with the truth.
type Labels struct {
	Right    Share          // samples inside request code that have all labels right
	GC       Share          // those of them in a collection
	Wrong    int            // samples with a label, or a start, that is another's, or that none should be
	Outside  int            // samples of no request, or of V8's helper threads, with labels or a start all the same
	Missing  map[string]int // labels that are not there, together
	Examples examples
}

// CompareLabels judges each sample inside an interval of the truth. want returns the labels that a request must have.
func CompareLabels(samples []Sample, l *truth.Log, want func(*truth.Label) map[string]any) Labels {
	v := Labels{Missing: map[string]int{}}
	for i := range samples {
		s := &samples[i]
		at, ok := l.At(s.Mono(l), s.TID)
		switch {
		case (len(s.Labels) > 0 || s.Start != 0) && s.ofHelper():
			v.Outside++
			v.Examples.add("labels of a helper thread", "%v of %v", s.Labels, s)
		case !ok:
		case at.Label != nil:
			v.judge(s, want(at.Label), at.Label.Start)
		case len(s.Labels) > 0 || s.Start != 0:
			v.Outside++
			v.Examples.add("labels where no request ran", "%v of %v", s.Labels, s)
		}
	}
	return v
}

// ofHelper reports whether a sample is of one of V8's helper threads, by the function of Node's that they begin with.
func (s *Sample) ofHelper() bool {
	return slices.ContainsFunc(s.Stack, func(f Frame) bool {
		return f.F == "node::(anonymous namespace)::PlatformWorkerThread"
	})
}

// judge counts a sample of a request that has these labels, and began then; 0 is not known.
func (v *Labels) judge(s *Sample, want map[string]any, start int64) {
	var missing []string
	wrong := start != 0 && s.Start != 0 && s.Start != start
	if start != 0 && s.Start == 0 {
		missing = append(missing, "start")
	}
	for key, value := range want {
		got, ok := s.Labels[key]
		if !ok {
			missing = append(missing, key)
		}
		wrong = wrong || ok && got != value
	}
	for key := range s.Labels {
		_, known := want[key]
		wrong = wrong || !known
	}
	right := len(missing) == 0 && !wrong
	v.Right.Count(right)
	if s.State == "gc" {
		v.GC.Count(right)
	}
	if wrong {
		v.Wrong++
		v.Examples.add("wrong labels", "%v, start %d, want %v, %d, of %v", s.Labels, s.Start, want, start, s)
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		v.Missing[strings.Join(missing, " ")]++
		v.Examples.add("missing labels", "%v, want %v, of %v", s.Labels, want, s)
	}
}

// RequestLabels are the labels that a request of requests.js must have, with the rules StoreRules or MapRules.
func RequestLabels(l *truth.Label) map[string]any {
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

// DatadogLabels are those labels with dd-trace, which knows the route only after the response and has no baggage here.
func DatadogLabels(l *truth.Label) map[string]any {
	want := RequestLabels(l)
	delete(want, "baggage")
	delete(want, "http.route")
	want["http.request.method"], want["url.path"] = l.Method, l.Target
	return want
}

// SentryLabels are those labels with Sentry, whose route, method and path are not read, and which has no baggage here.
func SentryLabels(l *truth.Label) map[string]any {
	want := RequestLabels(l)
	for _, key := range []string{"baggage", "http.route", "http.request.method", "url.path"} {
		delete(want, key)
	}
	return want
}

// The rules for the app stores of requests.js: objects, and Maps.
var (
	StoreRules = []string{"endpoint=endpoint", "tenant=user.tenant", "user=user.id", "premium=store.premium",
		`baggage=baggage("tenant")`}
	MapRules = []string{
		`endpoint=get("endpoint")`, `tenant=get(Symbol.for("app user")).get("tenant")`, `premium=get("premium")`,
		`user=store.get(Symbol.for("app user")).get(Symbol("id of the user"))`, `baggage=baggage("tenant")`,
	}
)

// Flags returns the flags of hotspan record for rules.
func Flags(rules []string) (flags []string) {
	for _, r := range rules {
		flags = append(flags, "--label", r)
	}
	return flags
}
