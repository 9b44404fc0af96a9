package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/results"
)

// all returns the fuzz functions of the module, in whose folder the test runs from then on.
func all(t *testing.T) []function {
	t.Helper()
	t.Chdir("../..")
	functions, err := list(regexp.MustCompile("."))
	if err != nil || len(functions) < 60 {
		t.Fatalf("%d functions, %v", len(functions), err)
	}
	return functions
}

func TestList(t *testing.T) {
	functions := all(t)
	for _, f := range []function{{"context", "FuzzParseRule"}, {"agent/internal/unwind", "FuzzBuild"}} {
		if !slices.Contains(functions, f) {
			t.Errorf("no %s", f)
		}
	}
	if slices.ContainsFunc(functions, func(f function) bool { return f.Package == "test/fuzz" }) {
		t.Error("functions of TestFaults are listed")
	}
	some, err := list(regexp.MustCompile(`^context\.FuzzParseRule$`))
	if diff := cmp.Diff([]function{{"context", "FuzzParseRule"}}, some); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestCorpus: inputs that are committed are those of functions that there are, within bounds.
func TestCorpus(t *testing.T) {
	functions := all(t)
	var bytes int
	folders, err := filepath.Glob("*/testdata/fuzz/*")
	for below := "*/*"; err == nil && below != "*/*/*/*/*/*"; below += "/*" {
		var more []string
		more, err = filepath.Glob(below + "/testdata/fuzz/*")
		folders = append(folders, more...)
	}
	if err != nil || len(folders) < 10 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	for _, folder := range folders {
		if !slices.ContainsFunc(functions, func(f function) bool { return f.corpus() == folder }) {
			t.Errorf("%s is of no function", folder)
		}
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, name := range files {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			size += int(info.Size())
		}
		if len(files) > maxFiles || size > maxBytes {
			t.Errorf("%s: %d files, %d bytes", folder, len(files), size)
		}
		bytes += size
	}
	if bytes > 3<<20 {
		t.Errorf("%d bytes in all", bytes)
	}
}

// TestDocument: the figures of docs/safety.md are what the results make of it.
func TestDocument(t *testing.T) {
	t.Chdir("../..")
	ran, err := results.Read[result](resultsFile)
	if err != nil || len(ran) == 0 {
		t.Fatalf("%d results, %v", len(ran), err)
	}
	text, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(summary(ran), string(figures.Find(text))); diff != "" {
		t.Errorf("run go run ./test/fuzz -write:\n%s", diff)
	}
}

func TestDraw(t *testing.T) {
	functions := all(t)
	drawn := map[function]bool{}
	for i := range 1000 {
		got := some(functions, strconv.Itoa(i), 4)
		if len(got) != 4 || !slices.Equal(got, some(functions, strconv.Itoa(i), 4)) {
			t.Fatalf("%d draws %v", i, got)
		}
		for _, f := range got {
			drawn[f] = true
		}
	}
	if len(drawn) != len(functions) {
		t.Errorf("%d of %d are drawn", len(drawn), len(functions))
	}
	if got := some(functions, "", 4); !slices.Equal(got, functions) {
		t.Errorf("without a text: %v", got)
	}
}

// TestLeast: what has run for the shortest time is next.
func TestLeast(t *testing.T) {
	a, b, c := function{"x", "FuzzA"}, function{"x", "FuzzB"}, function{"y", "FuzzA"}
	results := []result{{function: a, Seconds: 2}, {function: b, Seconds: 1}, {function: c, Seconds: 3},
		{function: b, Seconds: 5}}
	for want, ran := range [][]result{nil, results[:1], results[:2], results} {
		if got := least([]function{a, b, c}, ran); got != []int{0, 1, 2, 0}[want] {
			t.Errorf("after %d runs: %d", len(ran), got)
		}
	}
}

func TestResults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results.jsonl")
	want := []result{{function: function{"x", "FuzzA"}, Seconds: 1.5, Executions: 7, New: 3, Kept: 2, Go: "go1.26"},
		{function: function{"x", "FuzzB"}, Failed: "a: b"}}
	for _, r := range want {
		if err := appendResult(name, r); err != nil {
			t.Fatal(err)
		}
	}
	got, err := results.Read[result](name)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if s := summary(got); !strings.HasPrefix(s, "2 fuzz functions have run") || figures.FindString("x\n"+s+"\ny") != s {
		t.Errorf("%q", s)
	}
}

// TestChoose: what reaches most that is not reached comes first, small before large, within bounds.
func TestChoose(t *testing.T) {
	one := func(path string, size int, blocks ...string) input {
		i := input{path: path, size: size, reach: map[string]bool{}}
		for _, b := range blocks {
			i.reach[b] = true
		}
		return i
	}
	found := []input{one("known", 1, "a"), one("two", 9, "a", "b", "c"), one("again", 5, "b", "c"),
		one("one", 2, "d"), one("large", 900, "d", "e", "f", "g")}
	for name, c := range map[string]struct {
		files, bytes int
		want         []string
	}{
		"all": {9, 1000, []string{"large", "again"}}, "few bytes": {9, 20, []string{"again", "one"}},
		"one file": {1, 20, []string{"again"}}, "none": {0, 20, nil}, "full": {-1, -1, nil},
	} {
		var got []string
		for _, i := range choose(slices.Clone(found), map[string]bool{"a": true}, c.files, c.bytes) {
			got = append(got, i.path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestBlocks(t *testing.T) {
	got := blocks([]byte("mode: set\nm/a.go:1.2,3.4 2 1\nm/a.go:5.2,6.4 1 0\nm/b.go:1.2,3.4 1 10\n"))
	want := map[string]bool{"m/a.go:1.2,3.4": true, "m/b.go:1.2,3.4": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
