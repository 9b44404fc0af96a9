package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/draw"
)

var slow, quick, other = test{name: "TestSlow", path: "a"}, test{name: "TestQuick", path: "a"},
	test{name: "TestSlow", path: "b"}

// TestNext: those that have run least come first, at whatever commit; what is brief runs once, unless it has failed.
func TestNext(t *testing.T) {
	var all []result
	tests := []test{slow, quick, other}
	var got []test
	for ran, ok := next(tests, all, 3); ok; ran, ok = next(tests, all, 3) {
		got = append(got, ran)
		seconds := 2.0
		if ran == quick {
			seconds = 0.04
		}
		all = with(all, ran, []string{"old", "new"}[len(got)/4], seconds, false)
	}
	if want := []test{slow, quick, other, slow, other, slow, other}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	want := []result{{"a", "TestSlow", "new", 3, 0, 6}, {"a", "TestQuick", "old", 1, 0, 0.04},
		{"b", "TestSlow", "new", 3, 0, 6}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	all = with(all, quick, "newer", 0.04, true)
	if again, ok := next(tests, all, 3); !ok || again != quick {
		t.Errorf("%v, want the one that has failed", again)
	}
}

func TestJudge(t *testing.T) {
	const passed = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (2.50s)\nPASS\n"
	for name, c := range map[string]struct {
		said    string
		err     error
		seconds float64
		want    run
	}{
		"passes":  {passed, nil, 2.5, run{}},
		"later":   {passed, errors.New("exit status 1"), 2.5, run{failed: true}},
		"fails":   {"--- FAIL: TestA (1.00s)\n", errors.New("exit status 1"), 1, run{failed: true}},
		"skipped": {"--- SKIP: TestA (0.00s)\nPASS\n", nil, 0, run{skipped: true}},
		"undrawn": {"--- SKIP: TestA (0.00s)\n    x_test.go:1: " + draw.Reason + "\nPASS\n", nil, 0,
			run{skipped: true, undrawn: true}},
		"a part":   {"--- PASS: TestA (1.00s)\n    --- SKIP: TestA/x (0.00s)\n", nil, 1, run{}},
		"panics":   {"panic: x\n", errors.New("exit status 2"), 0, run{failed: true}},
		"not run":  {"PASS\n", nil, 0, run{failed: true}},
		"of other": {"--- PASS: TestAB (3.00s)\nPASS\n", nil, 3, run{failed: true}},
	} {
		got := judge("TestA", c.said, c.err)
		if c.want.seconds = c.seconds; c.want.failed != (got.said != "") {
			t.Errorf("%s: it says %q", name, got.said)
		}
		if got.said = ""; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestSummary: a failure is shown with its commit, and with the runs since at others. Runs before it do not count, and
// those after it at the same commit do not show that it is mended.
func TestSummary(t *testing.T) {
	var all []result
	for i, commit := range []string{"old", "old", "old", "old", "new", "newer", "newer"} {
		all = with(all, slow, commit, 3600, i == 2)
		all = with(all, quick, "old", 0.01, false)
	}
	want := "1 tests have run 7 times, 7 times each, which took 7.0 hours. Runs that failed: 1:\n\n" +
		"| package | tests | runs | runs per test | minutes | runs that failed |\n|---|---|---|---|---|---|\n" +
		"| a | 1 | 7 | 7 | 420.0 | 1 |\n" +
		"\n| test | commit | failed runs at this commit | later runs, of these failed |\n|---|---|---|---|\n" +
		"| a TestSlow | old | 1 of 2 | 3, 0 |\n"
	if diff := cmp.Diff(want, summary(all)); diff != "" {
		t.Error(diff)
	}
	if got := figures.FindString("x\n\n" + want + "\nmore | text\n"); got != want {
		t.Errorf("%q", got)
	}
}

// TestDocument: the figures of docs/safety.md are what the results make of it.
func TestDocument(t *testing.T) {
	t.Chdir("../..")
	all, err := readResults()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d results, %v", len(all), err)
	}
	text, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(summary(all), figures.FindString(string(text))); diff != "" {
		t.Errorf("run go run ./test/stress -write:\n%s", diff)
	}
	for _, r := range all {
		if strings.HasPrefix(r.Package, ".") || r.Runs < 1 || r.Failed > r.Runs || r.Seconds < 0 {
			t.Errorf("%+v", r)
		}
	}
}

// TestSchedule: each test runs as often as it should, never twice at a time; one that its draw leaves out runs by
// another, and one that is skipped is not asked again.
func TestSchedule(t *testing.T) {
	t.Chdir(t.TempDir())
	program := filepath.Join(t.TempDir(), "program")
	script := "#!/bin/sh\nname=${2#^} name=${name%$}\nmkdir ../$name || exit 1\nsleep 0.02\nrmdir ../$name\n" +
		"case $name:$DRAW in\nTestSkipped:*) echo \"--- SKIP: $name (0.00s)\" ;;\n" +
		"TestDrawn:[02468]*) printf -- \"--- SKIP: $name (0.00s)\\n" + draw.Reason + "\\n\" ;;\n" +
		"TestFails:*) echo \"--- FAIL: $name (1.00s)\"; exit 1 ;;\n" +
		"*) echo \"--- PASS: $name (1.00s)\" ;;\nesac\n"
	for name, text := range map[string]string{program: script, documentFile: summary(nil)} {
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o755))
		if err != nil {
			t.Fatal(err)
		}
	}
	s := schedule{options: options{rounds: 5, atOnce: 3, end: time.Now().Add(time.Hour)}, commit: "x"}
	for _, name := range []string{"TestPasses", "TestDrawn", "TestFails", "TestSkipped"} {
		s.tests = append(s.tests, test{name, "test/stress", program})
	}
	if err := os.MkdirAll("test/stress", 0o755); err != nil {
		t.Fatal(err)
	}
	s.run()
	got, err := readResults()
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b result) int { return strings.Compare(a.Test, b.Test) })
	want := []result{{"test/stress", "TestDrawn", "x", 5, 0, 5}, {"test/stress", "TestFails", "x", 5, 5, 5},
		{"test/stress", "TestPasses", "x", 5, 0, 5}}
	if diff := cmp.Diff(want, got); diff != "" || len(s.failed) != 5 {
		t.Errorf("%v\n%s", s.failed, diff)
	}
}
