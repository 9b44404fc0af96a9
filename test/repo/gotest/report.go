package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/test/draw"
)

// event is what go test -json says of a test or, without Test, of a package. (go doc test2json)
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64 // seconds
}

func (e event) name() string { return strings.TrimSuffix(e.Package+" "+e.Test, " ") }

// report gathers events.
type report struct {
	out      io.Writer
	allowed  skips
	said     map[string][]string // output of tests and packages that have not ended
	passed   int                 // tests, those within tests included
	packages int                 // with tests
	failures []string
	skips    []string
	notDrawn []string
	long     []event // tests that took long
}

func newReport(out io.Writer, allowed skips) *report {
	return &report{out: out, allowed: allowed, said: map[string][]string{}}
}

func (r *report) take(e event) {
	name := e.name()
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.said[name] = append(r.said[name], e.Output)
	case "pass", "fail", "skip":
		r.ended(e, name)
		delete(r.said, name)
	}
}

// Of tests that took long so many are shown.
const (
	long     = 5 // seconds
	mostLong = 40
)

func (r *report) ended(e event, name string) {
	if e.Test != "" && !strings.Contains(e.Test, "/") && e.Elapsed >= long {
		r.long = append(r.long, e)
	}
	why, listed := r.allowed.reason(name)
	switch {
	case e.Test == "":
		r.packageEnded(e, name)
	case e.Action == "pass":
		r.passed++
	case e.Action == "fail":
		r.failed(name)
		r.show(name)
	case strings.Contains(strings.Join(r.said[name], ""), draw.Reason):
		r.notDrawn = append(r.notDrawn, name)
	case listed:
		r.skips = append(r.skips, name+": "+why)
	default:
		r.failed(name + ": skipped, and not in the list of skips")
		r.show(name)
	}
}

// packageEnded shows a package's closing line; of one that failed all that it said beside its tests.
func (r *report) packageEnded(e event, name string) {
	said := r.said[name]
	switch e.Action {
	case "fail":
		r.failed(name)
		r.showAll(name)
		return
	case "pass":
		r.packages++
	}
	if len(said) > 0 {
		fmt.Fprint(r.out, said[len(said)-1])
	}
}

func (r *report) show(name string) { fmt.Fprint(r.out, strings.Join(r.said[name], "")) }

// showAll shows what a package said, and its tests that did not end: a panic and a timeout leave such.
func (r *report) showAll(name string) {
	r.show(name)
	for _, test := range slices.Sorted(maps.Keys(r.said)) {
		if strings.HasPrefix(test, name+" ") {
			r.show(test)
			delete(r.said, test)
		}
	}
}

func (r *report) failed(what string) { r.failures = append(r.failures, what) }

// end prints what there was and reports whether all is well. No test at all is not well.
func (r *report) end() bool {
	slices.SortFunc(r.long, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range r.long[:min(len(r.long), mostLong)] {
		fmt.Fprintf(r.out, "%6.1f s %s\n", e.Elapsed, e.name())
	}
	for _, n := range r.notDrawn {
		fmt.Fprintln(r.out, "NOT DRAWN", n)
	}
	for _, s := range r.skips {
		fmt.Fprintln(r.out, "SKIPPED", s)
	}
	for _, f := range r.failures {
		fmt.Fprintln(r.out, "FAILED", f)
	}
	fmt.Fprintf(r.out, "%d packages ok, %d tests passed, %d skipped as listed, %d failures\n",
		r.packages, r.passed, len(r.skips), len(r.failures))
	return len(r.failures) == 0 && r.passed > 0
}

// skips are the reasons why tests may be skipped, by patterns of path.Match for their names.
type skips map[string]string

// readSkips reads the tests that may be skipped: a line each, the package, the test, and the reason. Lines that begin
// with # are comments.
func readSkips(from io.Reader) (skips, error) {
	b, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	out := skips{}
	for i, line := range strings.Split(string(b), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 3 {
			return nil, fmt.Errorf("line %d: want PACKAGE TEST REASON, have %q", i+1, line)
		}
		name := words[0] + " " + words[1]
		if _, err := path.Match(name, ""); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", i+1, name, err)
		}
		out[name] = strings.Join(words[2:], " ")
	}
	return out, nil
}

// reason is why a test may be skipped.
func (s skips) reason(name string) (why string, listed bool) {
	for pattern, why := range s {
		if is, _ := path.Match(pattern, name); is {
			return why, true
		}
	}
	return "", false
}
