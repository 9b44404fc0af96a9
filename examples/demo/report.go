package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// report is what the demo shows of a profile. Times are nanoseconds of CPU.
type report struct {
	total, named    int64 // all, and what has an http.route
	routes          []entry
	functions       []entry
	traces          []entry
	samples, traced int // all samples, and those with a trace id
}

// entry is one line of a table.
type entry struct {
	name   string
	detail string // where a function is, or the route of a trace
	cpu    int64
}

const noRoute = "(no route)"

func readReport(name, service string) (*report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return newReport(p, service)
}

// newReport adds up a profile. service is the folder of the service's own code.
func newReport(p *profile.Profile, service string) (*report, error) {
	cpu := slices.IndexFunc(p.SampleType,
		func(t *profile.ValueType) bool { return t.Type == "cpu" && t.Unit == "nanoseconds" })
	if cpu < 0 {
		return nil, fmt.Errorf("the profile has no sample type cpu/nanoseconds")
	}
	r := &report{}
	count := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == "samples" })
	routes, functions, traces := sums{}, sums{}, sums{}
	for _, s := range p.Sample {
		value, n := s.Value[cpu], 1
		if count >= 0 {
			n = int(s.Value[count])
		}
		route := label(s, "http.route")
		r.total += value
		r.samples += n
		if route != "" {
			r.named += value
		}
		routes.add(cmp.Or(route, noRoute), "", value)
		function, where := place(s, service)
		functions.add(function, where, value)
		if trace := label(s, "trace_id"); trace != "" {
			r.traced += n
			traces.add(trace, route, value)
		}
	}
	r.routes, r.functions, r.traces = routes.sorted(), functions.sorted(), traces.sorted()
	return r, nil
}

func label(s *profile.Sample, key string) string {
	if values := s.Label[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// place returns the function of the service that a sample belongs to, and its position: the frame nearest to the leaf
// that is the service's own code. So the work of V8, Node and OpenSSL counts for its caller. A sample without such a
// frame belongs to its leaf.
func place(s *profile.Sample, service string) (function, where string) {
	for _, location := range s.Location {
		for _, line := range location.Line {
			if file, ok := ownFile(line.Function, service); ok {
				return line.Function.Name, fmt.Sprintf("%s:%d", file, line.Line)
			}
		}
	}
	return leaf(s)
}

// ownFile returns the function's file relative to the service's folder, if it is in there and not a package's.
func ownFile(f *profile.Function, service string) (string, bool) {
	if f == nil {
		return "", false
	}
	file, ok := strings.CutPrefix(strings.TrimPrefix(f.Filename, "file://"), service+"/")
	return file, ok && !strings.HasPrefix(file, "node_modules/")
}

func leaf(s *profile.Sample) (function, where string) {
	if len(s.Location) == 0 {
		return "[no stack]", ""
	}
	location := s.Location[0]
	if len(location.Line) == 0 || location.Line[0].Function == nil {
		return fmt.Sprintf("[%#x]", location.Address), ""
	}
	f := location.Line[0].Function
	if f.Filename == "" && location.Mapping != nil {
		return f.Name, filepath.Base(location.Mapping.File)
	}
	return f.Name, shortFile(f.Filename)
}

// shortFile drops the prefix that all files of installed packages have in common.
func shortFile(name string) string {
	if _, short, ok := strings.Cut(name, "/node_modules/"); ok {
		return short
	}
	return name
}

// sums adds up values by name. Of several details it keeps the one with the greatest value.
type sums map[string]map[string]int64

func (s sums) add(name, detail string, value int64) {
	if s[name] == nil {
		s[name] = map[string]int64{}
	}
	s[name][detail] += value
}

// sorted returns the entries, the greatest first.
func (s sums) sorted() []entry {
	var list []entry
	for name, details := range s {
		e := entry{name: name}
		var most int64
		for detail, value := range details {
			e.cpu += value
			if value > most || value == most && detail < e.detail {
				most, e.detail = value, detail
			}
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.cpu, a.cpu), cmp.Compare(a.name, b.name))
	})
	return list
}
