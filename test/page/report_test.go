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

// chosen is a part of a recording.
type chosen struct {
	from, to int64 // microseconds since the start; to is 0 for no end
	labels   map[string]string
}

// report is what package report says of a part of a recording.
func (c chosen) report(snapshots []*pprofx.Snapshot, by string) *report.Report {
	b := report.NewBuilder(by)
	for _, s := range snapshots {
		b.Add(c.of(s))
	}
	return b.Report()
}

func (c chosen) of(s *pprofx.Snapshot) *pprofx.Snapshot {
	return s.Where(func(r *pprofx.Row) bool {
		at := r.Time/1000 - start/1000
		if at < c.from || c.to > 0 && at >= c.to {
			return false
		}
		has := map[string]string{}
		for _, l := range s.LabelSets[r.Labels] {
			has[l.Key] = l.Str
		}
		for key, value := range c.labels {
			if has[key] != value {
				return false
			}
		}
		return true
	})
}

// shown is how the page writes a name.
func shown(name string) string {
	return unclear.ReplaceAllString(strings.ToValidUTF8(name, "\uFFFD"), "\uFFFD")
}

var unclear = regexp.MustCompile("[\\x00-\\x1f\\x7f-\\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

func groups(of []report.Group, none string) map[string]int64 {
	all := map[string]int64{}
	for _, g := range of {
		if g.Name == "" {
			g.Name = none
		}
		all[shown(g.Name)] += g.Samples
	}
	return all
}

func (s *step) groups() map[string]int64 {
	all := map[string]int64{}
	for _, g := range s.Groups {
		all[g.Name] += g.Samples
	}
	return all
}

// onCPU are the classes that samples of CPU time have.
const onCPU = report.Off

// classes lists what the CPU did in each group, in parts of it.
func classes(of []report.Group) map[string]string {
	all := map[string]string{}
	for _, g := range of {
		var parts []string
		for class, n := range g.Classes[:onCPU] {
			parts = append(parts, fmt.Sprintf("%v %.1f %%", report.Class(class), 100*float64(n)/float64(g.Samples)))
		}
		slices.Sort(parts)
		all[cmp.Or(shown(g.Name), "(no route)")] = strings.Join(parts, ", ")
	}
	return all
}

func (s *step) classes() map[string]string {
	all := map[string]string{}
	for _, g := range s.Groups {
		parts := strings.Split(g.Classes, ", ")
		slices.Sort(parts)
		all[g.Name] = strings.Join(parts, ", ")
	}
	return all
}

func functions(r *report.Report) map[string]function {
	all := map[string]function{}
	for _, f := range r.Functions {
		place := f.File
		if parts := strings.Split(f.File, "/"); len(parts) > 3 {
			place = strings.Join(parts[len(parts)-2:], "/")
		}
		if place = shown(place); f.Line > 0 {
			place += ":" + strconv.Itoa(f.Line)
		}
		all[f.Name+" in "+f.File] = function{shown(f.Name), place, f.Own, f.Total}
	}
	return all
}

// compare compares what is selected, and its functions, with a report.
func (s *step) compare(t *testing.T, r *report.Report) {
	t.Helper()
	if diff := gocmp.Diff([]int64{r.Samples}, s.Samples); diff != "" {
		t.Errorf("selected samples: %s", diff)
	}
	want := map[function]int{}
	for _, f := range functions(r) {
		want[f]++
	}
	got := map[function]int{}
	for _, f := range s.Functions {
		got[f]++
	}
	if !maps.Equal(want, got) {
		t.Errorf("functions: %s", gocmp.Diff(want, got))
	}
}

func (s *step) isGroups(t *testing.T, want map[string]int64) {
	t.Helper()
	if diff := gocmp.Diff(want, s.groups()); diff != "" {
		t.Errorf("groups: %s", diff)
	}
}

var rangeIn = regexp.MustCompile(`[#&]([ab])=([\d.]+)-([\d.]+)`)

// ranges returns the ranges of time that are in the address of the page.
func (s *step) ranges(t *testing.T) map[string]chosen {
	t.Helper()
	all := map[string]chosen{}
	for _, m := range rangeIn.FindAllStringSubmatch(s.Fragment, -1) {
		var at [2]int64
		for i := range at {
			whole, part, _ := strings.Cut(m[2+i], ".")
			n, err := strconv.ParseInt(whole+(part + "000000")[:6], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			at[i] = n
		}
		all[m[1]] = chosen{from: at[0], to: at[1]}
	}
	return all
}
