package context

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736" // of the W3C Trace Context recommendation
	spanID  = "00f067aa0ba902b7"
)

// valuesOf makes values for the labels of a Tree.
type valuesOf struct{ *Tree }

func (t valuesOf) number(source Source, label string) int {
	return slices.IndexFunc(t.Labels, func(l TreeLabel) bool { return l.Label == label && l.Source == source })
}

// text is of the user's rule if there is one.
func (t valuesOf) text(label, s string) Value {
	if i := t.number(Rules, label); i >= 0 {
		return Value{Label: i, Str: s}
	}
	return Value{Label: t.number(OpenTelemetry, label), Str: s}
}

func (t valuesOf) num(label string, n float64) Value {
	return Value{Label: t.text(label, "").Label, Num: n, IsNum: true}
}

func (t valuesOf) datadog(label, s string) Value {
	return Value{Label: t.number(Datadog, label), Str: s}
}

func (t valuesOf) id(label string, b ...byte) Value {
	return Value{Label: t.number(Datadog, label), Bytes: b}
}

func str(key, s string) Label { return Label{Key: key, Str: s} }

type decoding struct {
	name string
	in   []Value
	want []Label
	bad  int
}

func (c decoding) check(t *testing.T, tree *Tree) {
	t.Helper()
	var sets LabelsBySource
	bad := tree.Decode(c.in, true, &sets)
	got := Merge(&sets)
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Errorf("%s: %s", c.name, diff)
	}
	if bad != c.bad {
		t.Errorf("%s: %d bad values, want %d", c.name, bad, c.bad)
	}
}

func decodeTree(t *testing.T) *Tree {
	t.Helper()
	tree, err := NewTree(AllKinds.Rules(rules(t, "n=n", "s=s", "s=t", "b=b")))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestDecode(t *testing.T) {
	tree := decodeTree(t)
	v, num := valuesOf{tree}.text, valuesOf{tree}.num
	for _, c := range []decoding{
		{"nothing", nil, nil, 0},
		{"ids", []Value{v("trace_id", traceID), v("span_id", spanID)},
			[]Label{str("span_id", spanID), str("trace_id", traceID)}, 0},
		{"ids of zeros", []Value{v("trace_id", "00000000000000000000000000000000"), v("span_id", "0000000000000000")},
			nil, 0},
		{"zeros of another length", []Value{v("trace_id", "0000000000000000"), v("span_id", "0")}, nil, 2},
		{"ids of another length", []Value{v("trace_id", traceID[1:]), v("trace_id", traceID+"0"), v("span_id", "")},
			nil, 3},
		{"ids that are not hexadecimal", []Value{v("trace_id", "4BF92F3577B34DA6A3CE929D0E0E4736"),
			v("span_id", "00f067aa0ba902bg")}, nil, 2},
		{"id that is a number", []Value{num("trace_id", 5)}, nil, 1},
		{"a good one after a bad one", []Value{v("span_id", "x"), v("span_id", spanID)},
			[]Label{str("span_id", spanID)}, 1},
		{"no such label", []Value{{Label: len(tree.Labels), Str: "x"}, {Label: 255}}, nil, 2},
		{"whole numbers", []Value{num("n", 42)}, []Label{{Key: "n", Num: 42, IsNum: true}}, 0},
		{"negative", []Value{num("n", -7)}, []Label{{Key: "n", Num: -7, IsNum: true}}, 0},
		{"minus zero", []Value{num("n", math.Copysign(0, -1))}, []Label{{Key: "n", IsNum: true}}, 0},
		{"largest safe integer", []Value{num("n", 1<<53-1)}, []Label{{Key: "n", Num: 9007199254740991, IsNum: true}},
			0},
		{"beyond", []Value{num("n", 1<<53)}, []Label{str("n", "9007199254740992")}, 0},
		{"an id of 64 bits", []Value{num("n", 1795888252602366477)}, []Label{str("n", "1795888252602366500")}, 0},
		{"small", []Value{num("n", 0.00001)}, []Label{str("n", "0.00001")}, 0},
		{"smaller", []Value{num("n", 1e-7)}, []Label{str("n", "1e-7")}, 0},
		{"fraction", []Value{num("n", 0.1)}, []Label{str("n", "0.1")}, 0},
		{"NaN", []Value{num("n", math.NaN())}, []Label{str("n", "NaN")}, 0},
		{"infinite", []Value{num("n", math.Inf(-1))}, []Label{str("n", "-Infinity")}, 0},
		{"no UTF-8", []Value{v("s", "a\xff")}, nil, 1},
		{"the first of two rules counts", []Value{{Label: v("s", "").Label + 1, Str: "second"}, v("s", "first")},
			[]Label{str("s", "first")}, 0},
		{"or the second", []Value{{Label: v("s", "").Label + 1, Str: "second"}}, []Label{str("s", "second")}, 0},
		{"the first value counts", []Value{v("s", "one"), v("s", "two"), v("n", "1")},
			[]Label{str("n", "1"), str("s", "one")}, 0},
		{"older names", []Value{v("http.method", "GET"), v("http.target", "/a/b?c=d&e?f")},
			[]Label{str("http.request.method", "GET"), str("url.path", "/a/b")}, 0},
		{"older and newer name", []Value{v("http.target", "/old"), v("url.path", "/new"),
			v("http.request.method", "PUT"), v("http.method", "GET")},
			[]Label{str("http.request.method", "PUT"), str("url.path", "/new")}, 0},
		{"cut", []Value{{Label: v("s", "").Label, Str: "abc", Truncated: true}}, []Label{str("s", "abc…")}, 0},
		{"cut in the middle of a character", []Value{{Label: v("s", "").Label, Str: "abc\uFFFD", Truncated: true}},
			[]Label{str("s", "abc…")}, 0},
		{"with a route", []Value{v("url.path", "/a/1"), v("http.route", "/a/:id"), v("http.method", "GET"),
			v("n", "1")}, []Label{str("http.route", "/a/:id"), str("n", "1")}, 0},
	} {
		c.check(t, tree)
	}
}

func TestDecodeDatadog(t *testing.T) {
	tree := decodeTree(t)
	v, dd, id := valuesOf{tree}.text, valuesOf{tree}.datadog, valuesOf{tree}.id
	for _, c := range []decoding{
		{"dd-trace", []Value{id("trace_id", 1, 2, 3, 4, 5, 6, 7, 0xf8), dd("_dd.p.tid", "6b005b4f00000000"),
			id("span_id", 0, 0, 0, 0, 0, 0, 0, 9), dd("http.method", "GET"), dd("http.url", "http://h:80/a%20b?c=d#e")},
			[]Label{str("http.request.method", "GET"), str("span_id", "0000000000000009"),
				str("trace_id", "6b005b4f0000000001020304050607f8"), str("url.path", "/a%20b")}, 0},
		{"dd-trace with 64 bits", []Value{id("trace_id", 1, 2, 3, 4, 5, 6, 7, 8)},
			[]Label{str("trace_id", "00000000000000000102030405060708")}, 0},
		{"dd-trace with an id of a header",
			[]Value{id("trace_id", []byte{15: 1}...), dd("_dd.p.tid", "1111111111111111")},
			[]Label{str("trace_id", "00000000000000000000000000000001")}, 0},
		{"ids of dd-trace that are none",
			[]Value{id("trace_id", []byte{7: 0}...), id("span_id", []byte{7: 0}...), id("span_id", []byte{15: 1}...),
				id("trace_id", 1)}, nil, 4},
		{"upper half that is no hexadecimal", []Value{id("trace_id", []byte{7: 1}...), dd("_dd.p.tid", "x")}, nil, 1},
		{"OpenTelemetry and dd-trace", []Value{id("trace_id", []byte{7: 1}...), id("span_id", []byte{7: 1}...),
			v("trace_id", traceID)}, []Label{str("trace_id", traceID)}, 0},
	} {
		c.check(t, tree)
	}
}

// TestDecodeInPart: where something was not read, nothing takes the place of what may be missing.
func TestDecodeInPart(t *testing.T) {
	tree, err := NewTree(AllKinds.Rules(rules(t, "s=s", "s=t", "span_id=mine", "n=n")))
	if err != nil {
		t.Fatal(err)
	}
	at := func(r Source, label string, rank int) int {
		return slices.IndexFunc(tree.Labels,
			func(s TreeLabel) bool { return s.Label == label && s.Source == r && s.Rank == rank })
	}
	low := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	values := []Value{
		{Label: at(Rules, "s", 1), Str: "second"}, {Label: at(Rules, "n", 0), Str: "n"},
		{Label: at(Datadog, TraceID, 0), Bytes: low},
		{Label: at(OpenTelemetry, SpanID, 0), Str: spanID},
	}
	otel := []Value{{Label: at(OpenTelemetry, Method, 0), Str: "GET"},
		{Label: at(OpenTelemetry, URLPath, 0), Str: "/a/1"}}
	old := []Value{{Label: at(OpenTelemetry, oldMethod, 0), Str: "GET"},
		{Label: at(OpenTelemetry, oldTarget, 0), Str: "/a/1"}}
	dd := []Value{{Label: at(Datadog, oldMethod, 0), Str: "GET"}, {Label: at(Datadog, oldURL, 0), Str: "http://h/a/1"}}
	web := map[string]string{"s": "second", "n": "n", "trace_id": "00000000000000000102030405060708",
		"http.request.method": "GET", "url.path": "/a/1"}
	for _, c := range []struct {
		whole bool
		more  []Value
		want  map[string]string
	}{
		{true, nil, map[string]string{"s": "second", "n": "n", "trace_id": "00000000000000000102030405060708"}},
		{false, nil, map[string]string{"n": "n"}},
		{false, []Value{{Label: at(Datadog, traceHigh, 0), Str: "6b005b4f00000000"}},
			map[string]string{"n": "n", "trace_id": "6b005b4f000000000102030405060708"}},
		{false, []Value{{Label: at(Rules, "s", 0), Str: "first"}}, map[string]string{"n": "n", "s": "first"}},
		{true, otel, web}, {true, old, web}, {true, dd, web},
		{false, otel, map[string]string{"n": "n"}}, {false, old, map[string]string{"n": "n"}},
		{false, dd, map[string]string{"n": "n"}},
		{false, append(otel, Value{Label: at(OpenTelemetry, Route, 0), Str: "/a/:id"}),
			map[string]string{"n": "n", "http.route": "/a/:id"}},
	} {
		var sets LabelsBySource
		tree.Decode(append(slices.Clone(values), c.more...), c.whole, &sets)
		got := map[string]string{}
		for _, l := range Merge(&sets) {
			got[l.Key] = l.Str
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("whole %v, and %v: %s", c.whole, c.more, diff)
		}
	}
}

// TestPathOfURL: the label has the characters that were sent, up to the query.
func TestPathOfURL(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:3000/orders/7": "/orders/7", "https://h/a%20b?token=x": "/a%20b", "http://h/": "/",
		"http://h/a|b^c": "/a|b^c", "http://h/%zz?token=x": "/%zz", "http://h:port/a": "/a", "http://h?q": "",
		"http://h": "", "http://h/a//b/../c": "/a//b/../c", "http://h/?next=http://i/b": "/", "": "",
		"/a?next=http://i/b": "/a", "http://h/a#b?c": "/a", "http://h/é": "/é",
	} {
		l := Label{Key: oldURL, Str: url}
		if l.useCurrentNames(); l != (Label{Key: URLPath, Str: want}) {
			t.Errorf("%s: %+v, want %s", url, l, want)
		}
	}
}
