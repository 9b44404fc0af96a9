package context

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736" // of the W3C Trace Context recommendation
	spanID  = "00f067aa0ba902b7"
)

func TestDecode(t *testing.T) {
	tree, err := NewTree(append(OpenTelemetry(), rules(t, "n=n", "s=s", "s=t")...))
	if err != nil {
		t.Fatal(err)
	}
	v := func(label, s string) Value { return Value{Label: number(&tree.Labels, label), Str: s} }
	num := func(label string, n float64) Value {
		return Value{Label: number(&tree.Labels, label), Num: n, IsNum: true}
	}
	str := func(key, s string) Label { return Label{Key: key, Str: s} }
	for _, c := range []struct {
		name string
		in   []Value
		want []Label
		bad  int
	}{
		{"nothing", nil, nil, 0},
		{"ids", []Value{v("trace_id", traceID), v("span_id", spanID)}, []Label{str("span_id", spanID), str("trace_id", traceID)}, 0},
		{"ids of zeros", []Value{v("trace_id", "00000000000000000000000000000000"), v("span_id", "0000000000000000")}, nil, 2},
		{"ids of another length", []Value{v("trace_id", traceID[1:]), v("trace_id", traceID+"0"), v("span_id", "")}, nil, 3},
		{"ids that are not hexadecimal", []Value{v("trace_id", "4BF92F3577B34DA6A3CE929D0E0E4736"), v("span_id", "00f067aa0ba902bg")}, nil, 2},
		{"id that is a number", []Value{num("trace_id", 5)}, nil, 1},
		{"a good one after a bad one", []Value{v("span_id", "x"), v("span_id", spanID)}, []Label{str("span_id", spanID)}, 1},
		{"no such label", []Value{{Label: len(tree.Labels), Str: "x"}, {Label: 255}}, nil, 2},
		{"whole numbers", []Value{num("n", 42)}, []Label{{Key: "n", Num: 42, IsNum: true}}, 0},
		{"negative", []Value{num("n", -7)}, []Label{{Key: "n", Num: -7, IsNum: true}}, 0},
		{"minus zero", []Value{num("n", math.Copysign(0, -1))}, []Label{{Key: "n", IsNum: true}}, 0},
		{"largest safe integer", []Value{num("n", 1<<53-1)}, []Label{{Key: "n", Num: 9007199254740991, IsNum: true}}, 0},
		{"beyond", []Value{num("n", 1<<53)}, []Label{str("n", "9.007199254740992e+15")}, 0},
		{"fraction", []Value{num("n", 0.1)}, []Label{str("n", "0.1")}, 0},
		{"NaN", []Value{num("n", math.NaN())}, []Label{str("n", "NaN")}, 0},
		{"infinite", []Value{num("n", math.Inf(-1))}, []Label{str("n", "-Inf")}, 0},
		{"no UTF-8", []Value{v("s", "a\xff")}, nil, 1},
		{"the first value counts", []Value{v("s", "one"), v("s", "two"), v("n", "1")}, []Label{str("n", "1"), str("s", "one")}, 0},
		{"older names", []Value{v("http.method", "GET"), v("http.target", "/a/b?c=d&e?f")}, []Label{str("http.request.method", "GET"), str("url.path", "/a/b")}, 0},
		{"older and newer name", []Value{v("http.target", "/old"), v("url.path", "/new"), v("http.request.method", "PUT"), v("http.method", "GET")},
			[]Label{str("http.request.method", "PUT"), str("url.path", "/old")}, 0},
		{"with a route", []Value{v("url.path", "/a/1"), v("http.route", "/a/:id"), v("http.method", "GET"), v("n", "1")}, []Label{str("http.route", "/a/:id"), str("n", "1")}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bad := tree.Decode(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if bad != c.bad {
				t.Errorf("%d bad values, want %d", bad, c.bad)
			}
		})
	}
}
