package context

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A request began when its span did, else when the active span did, and only by the tracer that the trace is of.
func TestRequestStart(t *testing.T) {
	tree, err := NewTree(AllKinds.Rules(nil))
	if err != nil {
		t.Fatal(err)
	}
	at := func(source Source, label string, rank int) int {
		return slices.IndexFunc(tree.Labels,
			func(l TreeLabel) bool { return l.Label == label && l.Source == source && l.Rank == rank })
	}
	const of = 1_763_845_234_567_000_001 // more digits than a double has
	trace := Value{Label: at(OpenTelemetry, TraceID, 0), Str: traceID}
	span := Value{Label: at(OpenTelemetry, RequestStart, 0), Nanos: of}
	active := Value{Label: at(OpenTelemetry, RequestStart, 1), Nanos: of + 5}
	dd := []Value{{Label: at(Datadog, TraceID, 0), Bytes: []byte{7: 1}},
		{Label: at(Datadog, RequestStart, 0), Num: 1_763_845_234_567.25, IsNum: true}}
	start := func(ns int64) []Label {
		return []Label{{Key: RequestStart, Num: ns, IsNum: true}, str(TraceID, traceID)}
	}
	low := "00000000000000000000000000000001"
	for _, c := range []struct {
		decoding
		inPart bool
	}{
		{decoding{"of the request", []Value{active, span, trace}, start(of), 0}, false},
		{decoding{"of the active span", []Value{active, trace}, start(of + 5), 0}, false},
		{decoding{"of which, nobody knows", []Value{active, trace}, []Label{str(TraceID, traceID)}, 0}, true},
		{decoding{"of no trace", []Value{span}, nil, 0}, false},
		{decoding{"of dd-trace", dd, []Label{{Key: RequestStart, Num: 1_763_845_234_567_250_000, IsNum: true},
			str(TraceID, low)}, 0}, false},
		{decoding{"of another tracer", append(slices.Clone(dd), trace), []Label{str(TraceID, traceID)}, 0}, false},
		{decoding{"of the same trace", append(slices.Clone(dd), Value{Label: trace.Label, Str: low}, span),
			[]Label{{Key: RequestStart, Num: of, IsNum: true}, str(TraceID, low)}, 0}, false},
		{decoding{"no time", []Value{trace, {Label: span.Label, Num: math.Inf(1), IsNum: true}},
			[]Label{str(TraceID, traceID)}, 1}, false},
		{decoding{"a text", []Value{trace, {Label: span.Label, Str: "x"}}, []Label{str(TraceID, traceID)}, 1}, false},
		{decoding{"NaN", []Value{trace, {Label: span.Label, Num: math.NaN(), IsNum: true}},
			[]Label{str(TraceID, traceID)}, 1}, false},
	} {
		var sets LabelsBySource
		bad := tree.Decode(slices.Clone(c.in), !c.inPart, &sets)
		if diff := cmp.Diff(c.want, Merge(&sets)); diff != "" || bad != c.bad {
			t.Errorf("%s: %d bad; %s", c.name, bad, diff)
		}
	}
}
