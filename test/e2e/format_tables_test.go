package e2e

import (
	"cmp"
	"encoding/json"
	"os/exec"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// tables are what a report counts, by name, or of a function by name and file.
type tables struct{ Routes, Traces, Threads, Tenants, Own, Total map[string]int64 }

func newTables() tables {
	return tables{map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{},
		map[string]int64{}}
}

// printedReport is what report --json prints.
type printedReport struct {
	Samples                     int64
	Routes, Traces, Threads, By []struct {
		Name    string
		Samples int64
	}
	Functions []struct {
		Name, File string
		Own, Total int64
	}
}

// inJSON has hotspan print JSON, and decodes it.
func inJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	out, err := exec.Command(hotspan, args...).Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("%v: %v: %.500s", args, err, out)
	}
}

// compareReport compares the tables of a report with samples.
func compareReport(t *testing.T, file string, samples []judge.Sample) {
	t.Helper()
	var r printedReport
	inJSON(t, &r, "report", "--json", "--by", "tenant", file)
	got, want := newTables(), newTables()
	for _, g := range r.Routes {
		got.Routes[g.Name] = g.Samples
	}
	for _, g := range r.Traces {
		got.Traces[g.Name] = g.Samples
	}
	for _, g := range r.Threads {
		got.Threads[g.Name] = g.Samples
	}
	for _, g := range r.By {
		got.Tenants[g.Name] = g.Samples
	}
	for _, f := range r.Functions {
		got.Total[f.Name+" "+f.File] = f.Total
		if f.Own > 0 {
			got.Own[f.Name+" "+f.File] = f.Own
		}
	}
	all := int64(0)
	for i := range samples {
		n := cmp.Or(samples[i].Weight, 1)
		all += n
		want.add(&samples[i], n)
	}
	if diff := gocmp.Diff(want, got); diff != "" || r.Samples != all {
		t.Errorf("report of %s: %d samples, want %d: %.3000s", file, r.Samples, all, diff)
	}
}

func (w *tables) add(s *judge.Sample, n int64) {
	label := func(key string) string {
		text, _ := s.Labels[key].(string)
		return text
	}
	w.Routes[label("http.route")] += n
	w.Tenants[label("tenant")] += n
	w.Threads[s.Thread] += n
	if trace := label("trace_id"); trace != "" {
		w.Traces[trace] += n
	}
	own, in := "", map[string]bool{}
	for _, f := range s.Stack {
		name := f.F + " " + cmp.Or(f.File, f.Mod)
		if own == "" && f.Kind == "js" {
			own = name
		}
		in[name] = true
	}
	if own == "" {
		own = s.Stack[0].F + " " + cmp.Or(s.Stack[0].File, s.Stack[0].Mod)
	}
	w.Own[own] += n
	for name := range in {
		w.Total[name] += n
	}
}

// compareTraces compares the traces with most samples, and where each sample of theirs was.
func compareTraces(t *testing.T, file string, samples []judge.Sample) {
	t.Helper()
	counts, most := map[string]int64{}, int64(0)
	for _, s := range samples {
		if trace, _ := s.Labels["trace_id"].(string); trace != "" {
			counts[trace]++
			most = max(most, counts[trace])
		}
	}
	seen := 0
	for id, n := range counts {
		if n < most-1 || seen == 5 {
			continue
		}
		seen++
		var trace struct{ Samples int64 }
		if inJSON(t, &trace, "trace", "--json", id, file); trace.Samples != n {
			t.Errorf("trace %s has %d samples, want %d", id, trace.Samples, n)
		}
	}
	if seen == 0 {
		t.Error("no traces")
	}
}

// compareItself compares a recording with itself: nothing differs.
func compareItself(t *testing.T, file string) {
	t.Helper()
	for _, per := range []string{"second", "cpu"} {
		var c report.Comparison
		inJSON(t, &c, "diff", "--json", "--per", per, "--by", "tenant", file, file)
		for _, table := range [][]report.Change{c.Classes, c.Routes, c.By, c.Functions} {
			for _, row := range table {
				if row.Old != row.New || row.OldSamples != row.NewSamples || row.Certain {
					t.Errorf("per %s: %+v", per, row)
				}
			}
		}
		if len(c.Functions) < 50 || len(c.By) < 2 || len(c.Routes) < 2 {
			t.Errorf("per %s: %d functions, %d routes", per, len(c.Functions), len(c.Routes))
		}
	}
}
