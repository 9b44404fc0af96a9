package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/results"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

func committed(t *testing.T) []Result {
	t.Helper()
	known, err := results.Read[Result]("results.jsonl")
	if err != nil || len(known) == 0 {
		t.Fatalf("%d results, %v", len(known), err)
	}
	return known
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestDocument: docs/support.md is what the results make of it, and README says the same.
func TestDocument(t *testing.T) {
	results := committed(t)
	if diff := cmp.Diff(document(results), readFile(t, documentFile)); diff != "" {
		t.Errorf("run go run ./test/releases -write:\n%s", diff)
	}
	if readme := readFile(t, "README.md"); !strings.Contains(readme, summary(results)) {
		t.Errorf("README.md does not say %q", summary(results))
	}
}

// TestResults: the file is sorted, each release is there once, and those that the tests run are there.
func TestResults(t *testing.T) {
	results := committed(t)
	if !slices.IsSortedFunc(results, func(a, b Result) int { return compare(a.Node, b.Node) }) {
		t.Error("results.jsonl is not sorted")
	}
	seen := map[string]bool{}
	for _, r := range results {
		if numbers(r.Node) == nil || compare(r.Node, oldest) < 0 || seen[r.Node] {
			t.Errorf("release %q", r.Node)
		}
		seen[r.Node] = true
	}
	for _, v := range nodes.Versions() {
		if !seen[v.Version] {
			t.Errorf("no result of %s", v.Version)
		}
	}
}

func TestEdges(t *testing.T) {
	got := edges([]string{"18.2.0", "16.0.0-rc.1", "16.0.2", "16.0.10", "15.9.0", "16.0.0", "24.10.0", "24.9.1",
		"24.9.0"})
	want := []string{"16.0.0", "16.0.10", "18.2.0", "24.9.0", "24.9.1", "24.10.0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWith(t *testing.T) {
	var all []Result
	for _, v := range []string{"18.2.0", "16.10.0", "16.9.0", "18.2.0"} {
		all = with(all, Result{Node: v, Verified: len(all)})
	}
	want := []Result{{Node: "16.9.0", Verified: 2}, {Node: "16.10.0", Verified: 1}, {Node: "18.2.0", Verified: 3}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	name := filepath.Join(t.TempDir(), "results.jsonl")
	if err := results.Write(name, want); err != nil {
		t.Fatal(err)
	}
	again, err := results.Read[Result](name)
	if diff := cmp.Diff(want, again); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestLacks: what is amiss with a release is said, and a release with anything amiss is not one that works.
func TestLacks(t *testing.T) {
	good := Result{Node: "24.21.0", Functions: counts{990, 0, 1000}, Lines: counts{1000, 0, 1000},
		Chains: counts{1000, 0, 1000}, Labels: counts{990, 0, 1000}, Crashes: []string{"tiers.js"}}
	if got := good.lacks(); got != nil {
		t.Errorf("a good release lacks %q", got)
	}
	for want, change := range map[string]func(*Result){
		"could not be tried: no npm":              func(r *Result) { r.Failed = "no npm" },
		"functions of scripts: none":              func(r *Result) { r.Wrong = []string{"functions of scripts: none"} },
		"Code.flags is unknown":                   func(r *Result) { r.Unknown = []string{"Code.flags is unknown"} },
		"1 functions wrong":                       func(r *Result) { r.Functions.Wrong = 1 },
		"1 samples with wrong labels":             func(r *Result) { r.Labels.Wrong = 1 },
		"labels: 500 of 1000 samples lack them":   func(r *Result) { r.Labels.Right = 500 },
		"inlined functions: not tried":            func(r *Result) { r.Chains = counts{} },
		"functions: 30 of 1000 samples lack them": func(r *Result) { r.Functions.Right = 970 },
	} {
		r := good
		change(&r)
		if got := r.lacks(); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if text := "x " + summary([]Result{good}) + ": y"; sentence.ReplaceAllString(text, "z") != "x z: y" {
		t.Errorf("the sentence is not found in %q", text)
	}
	if got := summary([]Result{good, {Node: "26.0.0"}}); got !=
		"2 releases from 24.21.0 to 26.0.0, 1 without a fault of hotspan" {
		t.Error(got)
	}
}

func TestSteady(t *testing.T) {
	l := &truth.Log{Clocks: []truth.Clock{{Mono: 1e9, Unix: 5e9}, {Mono: 2e9, Unix: 6e9 + 49e3}}}
	if err := steady(l); err != nil {
		t.Error(err)
	}
	l.Clocks[1].Unix += 2e3
	if err := steady(l); !errors.Is(err, errUnsteady) || !strings.Contains(err.Error(), "51µs") {
		t.Errorf("error %v", err)
	}
}

// TestTold: a trial in which the log tells too little of the samples is none.
func TestTold(t *testing.T) {
	l := &truth.Log{Header: truth.Header{Program: "tiers.js"}}
	v := judge.Functions{Right: judge.Share{Part: 1960, Whole: 1970}, Edge: 30}
	if err := told(l, v); err != nil {
		t.Error(err)
	}
	v.Edge += 10
	if err := told(l, v); !errors.Is(err, errVague) || !strings.Contains(err.Error(), "40 of 2010") {
		t.Errorf("error %v", err)
	}
}

func TestExamined(t *testing.T) {
	var r Result
	r.examined(`processes
  31507    node test/programs/requests.js
           runs            Node.js 16.0.0, V8 9.0.257.17, /node/bin/node
           verified        27 of them in the running process; of the others 67 are told by the binary
           WRONG           functions of scripts: of 150 names of functions 0 stand in their scripts
           unknown         no symbol global_wasm_state: WebAssembly functions have no names
`)
	r.warned(`hotspan: warn: no symbol global_wasm_state: WebAssembly functions have no names, pid 30989
hotspan: first named sample, pid 30989, after 722ms, reading its files 683ms, sampling began after 717ms
hotspan: warn: stores of async_hooks are not found: samples have no labels from them, pid 30989: no Environment
4327 samples taken in 5.0 s = 4327 written + 0 lost
`)
	want := Result{V8: "9.0.257.17", Verified: 27,
		Wrong: []string{"functions of scripts: of 150 names of functions 0 stand in their scripts"},
		Unknown: []string{"no symbol global_wasm_state: WebAssembly functions have no names",
			"stores of async_hooks are not found: samples have no labels from them"}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

// TestDraw: a text draws the same releases each time, and different texts draw all that work.
func TestDraw(t *testing.T) {
	results := committed(t)
	works := map[string]bool{}
	for _, r := range results {
		works[r.Node] = len(r.lacks()) == 0
	}
	drawn := map[string]bool{}
	for i := range 1000 {
		by := strconv.Itoa(i)
		got := draw(results, by, 4)
		if len(got) != 4 || !slices.Equal(got, draw(results, by, 4)) {
			t.Fatalf("%q draws %q", by, got)
		}
		for _, v := range got {
			if !works[v] {
				t.Errorf("%s does not work", v)
			}
			drawn[v] = true
		}
	}
	for v, ok := range works {
		if ok != drawn[v] {
			t.Errorf("%s: works %t, drawn %t", v, ok, drawn[v])
		}
	}
	if got := draw(results[:1], "x", 4); len(got) > 1 {
		t.Errorf("%q of one", got)
	}
}
