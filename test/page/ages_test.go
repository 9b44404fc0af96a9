package page

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// aged is recording with requests that began some time before their samples; of some that is not known.
func aged(t *testing.T) []*pprofx.Snapshot {
	t.Helper()
	const ms = 1_000_000
	r := rand.New(rand.NewPCG(5, 6))
	exact := []int64{-ms, 0, ms - 1, ms, 500*ms - 1, 500 * ms, 501*ms - 1, 501 * ms, 40 * 86_400_000 * ms}
	all := recording(t)
	for _, s := range all {
		for i := range s.Rows {
			row := &s.Rows[i]
			if len(s.LabelSets[row.Labels]) == 0 || row.Labels%9 == 0 {
				continue
			}
			age := r.Int64N(1000 * ms)
			if r.IntN(4) == 0 {
				age = exact[r.IntN(len(exact))]
			}
			row.Start = row.Time - age
		}
	}
	return all
}

// shownAges is what ages.mjs prints.
type shownAges struct {
	Steps  map[string]*step
	Inputs int
	Wrong  []string
}

// olderTruth is what rows say of requests that had run for so many milliseconds, and of how many that is not known.
func olderTruth(snapshots []*pprofx.Snapshot, older int64) (samples, ageless int64) {
	for _, s := range snapshots {
		for i := range s.Rows {
			switch r := &s.Rows[i]; {
			case r.Start == 0:
				ageless++
			case r.Time-r.Start >= older*1_000_000:
				samples++
			}
		}
	}
	return samples, ageless
}

// decodeReport reads what hotspan report --json prints, but for what the CPU did.
func decodeReport(t *testing.T, text []byte) *report.Report {
	t.Helper()
	var read struct {
		Samples int64
		Routes  []struct {
			Name    string
			Samples int64
		}
		Functions []struct {
			Name, File string
			Line       int
			Own, Total int64
		}
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	r := &report.Report{Samples: read.Samples}
	for _, g := range read.Routes {
		r.Routes = append(r.Routes, report.Group{Name: g.Name, Samples: g.Samples})
	}
	for _, f := range read.Functions {
		r.Functions = append(r.Functions, report.Function{
			Name: f.Name, File: f.File, Line: f.Line, Own: f.Own, Total: f.Total,
		})
	}
	return r
}

// TestAges: a page shows of requests of some age what hotspan report --older says of them.
func TestAges(t *testing.T) {
	hotspan, snapshots := filepath.Join(commands(t), "hotspan"), aged(t)
	file, dir := writeOTLP(t, snapshots...), t.TempDir()
	output := func(args ...string) []byte {
		t.Helper()
		out, err := exec.Command(hotspan, append([]string{"report"}, args...)...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out
	}
	reported := func(args ...string) *report.Report {
		t.Helper()
		return decodeReport(t, output(append(args, "--json", file)...))
	}
	page, without := filepath.Join(dir, "x.html"), filepath.Join(dir, "without.html")
	output("-o", page, file)
	output("-o", without, writeOTLP(t, recording(t)...))
	var got shownAges
	run(t, &got, "ages.mjs", page, without, os.Getenv("HOTSPAN_SCREENSHOTS"))
	if got.Inputs != 0 || len(got.Wrong) > 0 {
		t.Errorf("without ages there are %d inputs; %q", got.Inputs, got.Wrong)
	}
	for _, older := range []int64{1, 500, 501, 30_000, 2_147_483_646} {
		s, r := got.Steps[fmt.Sprint(older)], reported("--older", fmt.Sprintf("%dms", older))
		s.compare(t, r)
		s.isGroups(t, groups(r.Routes, "(no route)"))
		samples, ageless := olderTruth(snapshots, older)
		if want := "(not known of " + grouped(ageless) + " samples)"; r.Samples != samples || s.Said != want {
			t.Errorf("%d ms: %d samples, want %d; %q, want %q", older, r.Samples, samples, s.Said, want)
		}
		if !strings.Contains(s.Fragment, fmt.Sprintf("older=%d", older)) {
			t.Errorf("the address %s lacks %d ms", s.Fragment, older)
		}
	}
	of := func(name string) *step { return got.Steps[name] }
	got.Steps["all"].compare(t, reported())
	compareWithAge(t, snapshots, of, reported("--older", "500ms", "--route", "/cart"))
}

// compareWithAge compares what is chosen by age, and by route and time too.
func compareWithAge(t *testing.T, snapshots []*pprofx.Snapshot, of func(string) *step, cart *report.Report) {
	t.Helper()
	of("route").compare(t, cart)
	for name, as := range map[string]string{
		"reloaded": "route", "no filter": "all", "back": "range",
	} {
		if diff := gocmp.Diff(of(as), of(name)); diff != "" {
			t.Errorf("%s is not %s: %s", name, as, diff)
		}
	}
	var old []*pprofx.Snapshot
	for _, s := range snapshots {
		old = append(old, s.Where(func(r *pprofx.Row) bool { return r.Start != 0 && r.Time-r.Start >= 500_000_000 }))
	}
	a := of("range").ranges(t)["a"]
	of("range").isGroups(t, groups(a.report(old, "").Routes, "(no route)"))
	a.labels = map[string]string{"http.route": "/cart"}
	of("range").compare(t, a.report(old, ""))
	of("without the age").compare(t, a.report(snapshots, ""))
	trace := of("trace")
	if want := fmt.Sprintf(", %d ms after its request began,", firstAge(snapshots, trace.ID)); trace.ID == "" ||
		!strings.Contains(trace.Said, want) {
		t.Errorf("trace %s: %q lacks %q", trace.ID, trace.Said, want)
	}
}

// firstAge is how many milliseconds before the first sample of a trace its request began.
func firstAge(snapshots []*pprofx.Snapshot, trace string) (age int64) {
	first := int64(math.MaxInt64)
	for _, s := range snapshots {
		for i := range s.Rows {
			r := &s.Rows[i]
			of := slices.ContainsFunc(s.LabelSets[r.Labels], func(l pprofx.Label) bool { return l.Str == trace })
			if of && r.Time < first {
				first, age = r.Time, (r.Time-r.Start)/1_000_000
			}
		}
	}
	return max(age, 0)
}

// grouped writes a number below a million as the page does.
func grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
