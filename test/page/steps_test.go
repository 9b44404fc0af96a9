package page

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

func compareWhole(t *testing.T, snapshots []*pprofx.Snapshot, of func(string) *step) {
	r := chosen{}.report(snapshots, "items")
	of("whole").compare(t, r)
	of("whole").isGroups(t, groups(r.Routes, "(no route)"))
	of("by route").isGroups(t, groups(r.Routes, "(no route)"))
	if diff := gocmp.Diff(classes(r.Routes), of("by route").classes()); diff != "" {
		t.Errorf("what the CPU did: %s", diff)
	}
	of("by thread").isGroups(t, groups(r.Threads, "(no thread)"))
	of("by items").isGroups(t, groups(r.By, "(no items)"))
	byClass, services := map[string]int64{}, map[string]int64{}
	for class, n := range r.Classes[:onCPU] {
		byClass[report.Class(class).String()] = n
	}
	of("by what the CPU did").isGroups(t, byClass)
	for _, s := range snapshots {
		for i := range s.Rows {
			services[shown(s.Processes[int(s.Rows[i].PID)].Service)]++
		}
	}
	of("by service").isGroups(t, services)
	lost := fmt.Sprintf("16 lost (%.1f %%)", 100*16/float64(r.Samples+16))
	if got := of("whole").Lost; got != lost {
		t.Errorf("lost: %q, want %q", got, lost)
	}
	incomplete := 0
	for _, s := range snapshots {
		for i := range s.Rows {
			if s.Rows[i].Stop == pprofx.StopNoRule {
				incomplete++
			}
		}
	}
	for _, want := range []string{
		"ring buffer full14", "process exited2", fmt.Sprintf("no unwind rule%d", incomplete), shown(hostile),
	} {
		if text := of("losses").Text; !strings.Contains(text, want) {
			t.Errorf("losses and processes lack %q: %s", want, text)
		}
	}
}

func compareRange(t *testing.T, snapshots []*pprofx.Snapshot, a chosen, of func(string) *step) {
	all := a.report(snapshots, "")
	of("range").compare(t, all)
	of("range").isGroups(t, groups(all.Routes, "(no route)"))
	a.labels = map[string]string{"http.route": "/cart"}
	of("route").compare(t, a.report(snapshots, ""))
	of("route").isGroups(t, groups(all.Routes, "(no route)"))
	found, samples := 0, 0
	for _, s := range snapshots {
		s = a.of(s)
		samples += len(s.Rows)
		for i := range s.Rows {
			for _, f := range s.Stacks[s.Rows[i].Stack] {
				if s.Frames[f].File == "/srv/price.js" {
					found++
					break
				}
			}
		}
	}
	want := fmt.Sprintf("found in %.1f %% (%d samples)", 100*float64(found)/float64(samples), found)
	for _, name := range []string{"search", "search Lines", "search Reverse", "search JavaScript only"} {
		if got := of(name).Found; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// compareRanges: ranges by keys, in a part of the time, and by numbers.
func compareRanges(t *testing.T, snapshots []*pprofx.Snapshot, of func(string) *step) {
	const second, fiftieth = 1_000_000, seconds * 1_000_000 / 50
	keys := chosen{from: fiftieth, to: seconds*second/5 + 2*fiftieth}
	for name, want := range map[string]chosen{
		"keys": keys,
		"in a window": {
			from: keys.from + (keys.to-keys.from)/4, to: keys.from + (keys.to-keys.from)*3/4,
		},
	} {
		a := of(name).ranges(t)["a"]
		if abs(a.from-want.from) > second/50 || abs(a.to-want.to) > second/50 {
			t.Errorf("%s: %+v, want %+v", name, a, want)
		}
		of(name).isGroups(t, groups(a.report(snapshots, "").Routes, "(no route)"))
	}
	if a := of("by number").ranges(t)["a"]; a.to != 3.5*second || a.from != of("in a window").ranges(t)["a"].from {
		t.Errorf("by number: %+v", a)
	}
	if diff := gocmp.Diff(of("whole").Samples, of("no range").Samples); diff != "" {
		t.Errorf("without a range: %s", diff)
	}
}

func abs(n int64) int64 { return max(n, -n) }

// compareAddress: the address has the state, and the browser's history its steps.
func compareAddress(t *testing.T, of func(string) *step) {
	before, after := of("colour what the CPU did"), of("reloaded")
	if diff := gocmp.Diff(before, after); diff != "" {
		t.Errorf("reloaded: %s", diff)
	}
	if diff := gocmp.Diff(of("range").Samples, of("no filter").Samples); diff != "" {
		t.Errorf("without the filter: %s", diff)
	}
	if diff := gocmp.Diff(after, of("back")); diff != "" {
		t.Errorf("back: %s", diff)
	}
}

// compareShares: with two ranges, each group has its shares of both, and their difference.
func compareShares(t *testing.T, s *step, a, b *report.Report) {
	inA, inB := groups(a.Routes, "(no route)"), groups(b.Routes, "(no route)")
	for _, cells := range s.Shares {
		of, than := 100*float64(inA[cells[0]])/float64(a.Samples), 100*float64(inB[cells[0]])/float64(b.Samples)
		change := strings.Replace(fmt.Sprintf("%+.1f", of-than), "-", "−", 1)
		want := []string{cells[0], fmt.Sprintf("%.1f %%", of), fmt.Sprintf("%.1f %%", than), change}
		if diff := gocmp.Diff(want, cells); diff != "" {
			t.Error(diff)
		}
	}
	if len(s.Shares) != len(inA) {
		t.Errorf("%d groups, want %d", len(s.Shares), len(inA))
	}
}

func compareGraph(t *testing.T, snapshots []*pprofx.Snapshot, of func(string) *step) {
	r := chosen{}.report(snapshots, "")
	var loop *report.Function
	for i := range r.Functions {
		if r.Functions[i].Name == "uv_run" {
			loop = &r.Functions[i]
		}
	}
	share := 100 * float64(loop.Total) / float64(r.Samples)
	want := fmt.Sprintf("uv_run /usr/bin/node %.1f %% (%d samples", share, loop.Total)
	for _, name := range []string{"focus", "zoom"} {
		if got := strings.ReplaceAll(of(name).Said, ",", ""); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	parts := regexp.MustCompile(` · (.*) $`)
	classes, tiers := counts{}, counts{}
	for _, s := range snapshots {
		for i := range s.Rows {
			stack := s.Stacks[s.Rows[i].Stack]
			if len(stack) > 0 && s.Frames[stack[len(stack)-1]].Function == "uv_run" {
				classes[class(s, &s.Rows[i])]++
				if len(stack) > 1 && s.Frames[stack[len(stack)-2]].Function == "main" {
					tiers[s.Frames[stack[len(stack)-2]].Tier.String()]++
				}
			}
		}
	}
	for name, want := range map[string]counts{"focus": classes, "tier": tiers} {
		if m := parts.FindStringSubmatch(of(name).Said); m == nil || m[1] != want.String() {
			t.Errorf("%s: %q, want %q", name, of(name).Said, want)
		}
	}
	if !strings.Contains(of("zoom").Fragment, "zoom=") || strings.Contains(of("hover").Fragment, "zoom=") {
		t.Errorf("zoom: %q, and after Escape %q", of("zoom").Fragment, of("hover").Fragment)
	}
	if got := of("hover").Said; !strings.HasPrefix(got, "all 100.0 %") {
		t.Errorf("hover: %q", got)
	}
}

// counts are samples by what they have.
type counts map[string]int

// String lists shares, the greatest first.
func (c counts) String() string {
	all := 0
	for _, n := range c {
		all += n
	}
	names := slices.SortedFunc(maps.Keys(c), func(a, b string) int { return c[b] - c[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %.1f %%", name, 100*float64(c[name])/float64(all))
	}
	return strings.Join(names, ", ")
}

// class is what the CPU did in a sample, by package report.
func class(s *pprofx.Snapshot, r *pprofx.Row) string {
	b := report.NewBuilder("")
	b.Add(s.Where(func(other *pprofx.Row) bool { return other == r }))
	for class, n := range b.Report().Classes {
		if n > 0 {
			return report.Class(class).String()
		}
	}
	return ""
}

// compareStall: stalls are listed as package report has them, and a range that is chosen has all samples of its turn.
func compareStall(t *testing.T, snapshots []*pprofx.Snapshot, s *step) {
	want := chosen{}.report(snapshots, "").Stalls
	if len(want) != 2 || len(s.Stalls) != 2 {
		t.Fatalf("%d stalls are listed, %d reported, want 2: %q", len(s.Stalls), len(want), s.Stalls)
	}
	for i, row := range s.Stalls {
		took := fmt.Sprintf("%d ms", (want[i].Length+5e5)/1e6)
		if row[1] != took || row[2] != strconv.FormatInt(want[i].Samples, 10) || row[6] != "MainThread 42" {
			t.Errorf("%q, want %s and %d samples", row, took, want[i].Samples)
		}
		for _, request := range want[i].Requests[:1] {
			if name := cmp.Or(shown(request.Route), "(no route)"); !strings.HasPrefix(row[3], name) {
				t.Errorf("routes %q, want %q first", row[3], name)
			}
		}
	}
	a := s.ranges(t)["a"]
	if diff := gocmp.Diff([]int64{a.report(snapshots, "").Samples}, s.Samples); diff != "" {
		t.Error(diff)
	}
	if inside := a.report(snapshots, "").Stalls; len(inside) != 1 || inside[0].Samples != want[0].Samples {
		t.Errorf("range %+v has %+v, want %+v", a, inside, want[0])
	}
}

func compareTrace(t *testing.T, snapshots []*pprofx.Snapshot, of func(string) *step) {
	s := of("trace")
	n := chosen{labels: map[string]string{"trace_id": s.ID}}.report(snapshots, "").Samples
	if n == 0 || !strings.HasPrefix(s.Summary, fmt.Sprintf("%d samples on ", n)) || s.Frames == 0 ||
		!strings.Contains(s.Summary, "Record with -F ") {
		t.Errorf("trace %q of %d samples: %q, %d frames", s.ID, n, s.Summary, s.Frames)
	}
	if diff := gocmp.Diff([]int64{n}, of("flame graph of the trace").Samples); diff != "" {
		t.Error(diff)
	}
}
