package pprofx

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sharedOut is ten samples in two snapshots of different periods.
func sharedOut() []*Snapshot {
	route := func(r string) []Label { return []Label{{Key: "http.route", Str: r}} }
	parse := func(line int) []*Frame { return []*Frame{{Function: "parse", File: "a.js", Line: line}} }
	write := []*Frame{{Function: "write", Kind: Native, Module: "/lib/libc.so.6"}, parse(9)[0]}
	add := func(b *Builder, n int, stack []*Frame, labels []Label) {
		for range n {
			b.Add(&Sample{Stack: stack, Labels: labels})
		}
	}
	a := NewBuilder(0, int64(10*time.Millisecond))
	add(a, 2, parse(7), route("/a"))
	add(a, 1, parse(8), route("/a"))
	add(a, 1, write, route("/b"))
	b := NewBuilder(0, int64(time.Millisecond))
	add(b, 3, write, route("/b"))
	add(b, 1, nil, nil)
	add(b, 2, parse(7), []Label{{Key: "size", Num: 4, Unit: "bytes"}})
	return []*Snapshot{a.Cut(1), b.Cut(1)}
}

func TestShares(t *testing.T) {
	ms := time.Millisecond
	for name, tt := range map[string]struct{ got, want []Share }{
		"by label": {ByLabel(sharedOut(), "http.route"), []Share{
			{"/b", "", 4, 13 * ms, 0.4}, {"", "", 3, 3 * ms, 0.3}, {"/a", "", 3, 30 * ms, 0.3}}},
		"by number": {ByLabel(sharedOut(), "size"), []Share{
			{"", "", 8, 44 * ms, 0.8}, {"4 bytes", "", 2, 2 * ms, 0.2}}},
		"functions": {TopFunctions(sharedOut(), 0), []Share{
			{"parse", "a.js:7", 5, 32 * ms, 0.5}, {"write", "/lib/libc.so.6", 4, 13 * ms, 0.4}, {"[no stack]", "", 1, ms, 0.1}}},
		"first function": {TopFunctions(sharedOut(), 1), []Share{{"parse", "a.js:7", 5, 32 * ms, 0.5}}},
		"functions of a route": {TopFunctionsOf(sharedOut(), "http.route", "/a", 9), []Share{
			{"parse", "a.js:7", 3, 30 * ms, 0.3}}},
		"functions without a route": {TopFunctionsOf(sharedOut(), "http.route", "", 0), []Share{
			{"parse", "a.js:7", 2, 2 * ms, 0.2}, {"[no stack]", "", 1, ms, 0.1}}},
		"no snapshots": {ByLabel(nil, "http.route"), []Share{}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestMostFrequent(t *testing.T) {
	for range 20 { // maps come in random order
		if got := mostFrequent(map[string]int64{"b": 2, "c": 2, "a": 1, "d": 2}); got != "b" {
			t.Fatalf("got %q, want b", got)
		}
	}
}

func TestWriteShares(t *testing.T) {
	var out strings.Builder
	shares := []Share{
		{Name: "/users/:id", Samples: 1203, Fraction: 0.602},
		{Samples: 97, Fraction: 0.0486},
		{Name: "parse\x1b[2J", Where: "/srv/app.js:7", Samples: 2000, Fraction: 1},
	}
	if err := WriteShares(&out, "CPU by http.route", shares); err != nil {
		t.Fatal(err)
	}
	want := "CPU by http.route\n" +
		"   60.2%     1203  /users/:id\n" +
		"    4.9%       97  (unlabelled)\n" +
		"  100.0%     2000  parse [2J  /srv/app.js:7\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
