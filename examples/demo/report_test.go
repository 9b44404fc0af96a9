package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

const second = 1_000_000_000

// stack makes locations, leaf first, from name, file and line.
func stack(frames ...profile.Line) []*profile.Location {
	var list []*profile.Location
	for _, f := range frames {
		list = append(list, &profile.Location{Line: []profile.Line{f}})
	}
	return list
}

func frame(name, file string, line int64) profile.Line {
	return profile.Line{Function: &profile.Function{Name: name, Filename: file}, Line: line}
}

func labels(route, trace string) map[string][]string {
	return map[string][]string{"http.route": {route}, "trace_id": {trace}}
}

func newProfile() *profile.Profile {
	hash := frame("SHA512_Update", "", 0)
	express := frame("next", "/srv/node_modules/router/index.js", 5)
	login := stack(hash, frame("check", "/srv/routes/login.js", 9), express)
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Sample: []*profile.Sample{
			{Location: login, Value: []int64{3, 3 * second}, Label: labels("/login", "aa")},
			{Location: login, Value: []int64{1, second}, Label: labels("/login", "bb")},
			{Location: stack(frame("check", "file:///srv/routes/login.js", 12)), Value: []int64{1, second},
				Label: labels("/login", "bb")},
			{Location: stack(frame("sum", "/srv/a.js", 1), frame("handle", "/srv/a.js", 7)),
				Value: []int64{4, 4 * second}, Label: labels("/sum", "cc")},
			{Location: stack(express), Value: []int64{1, second}},
		},
	}
}

func TestReport(t *testing.T) {
	r, err := newReport(newProfile(), "/srv")
	if err != nil {
		t.Fatal(err)
	}
	want := &report{
		total: 10 * second, named: 9 * second, samples: 10, traced: 9,
		routes: []entry{{"/login", "", 5 * second}, {"/sum", "", 4 * second}, {noRoute, "", second}},
		functions: []entry{
			{"check", "routes/login.js:9", 5 * second},
			{"sum", "a.js:1", 4 * second},
			{"next", "router/index.js", second},
		},
		traces: []entry{{"cc", "/sum", 4 * second}, {"aa", "/login", 3 * second}, {"bb", "/login", 2 * second}},
	}
	if diff := cmp.Diff(want, r, cmp.AllowUnexported(report{}, entry{})); diff != "" {
		t.Error(diff)
	}
}

func TestReportNeedsCPU(t *testing.T) {
	p := newProfile()
	p.SampleType[1].Type = "wall"
	if _, err := newReport(p, "/srv"); err == nil || !strings.Contains(err.Error(), "cpu/nanoseconds") {
		t.Errorf("error %v", err)
	}
}

func TestPrint(t *testing.T) {
	r, err := newReport(newProfile(), "/srv")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	printer{w: &out}.report(r, "demo.pb.gz")
	for _, want := range []string{
		"10.00 s of CPU in 10 samples of 1s; 90.0 % of it in a request whose route is known.\n",
		"     5.00 s  50.0 %  /login                              ████████████████████████\n",
		"     1.00 s  10.0 %  (no route)                          ████▊\n",
		"     5.00 s  50.0 %  check                               routes/login.js:9\n",
		"     4.00 s  40.0 %  cc                                  /sum\n",
		"go tool pprof -tags -tagshow http.route demo.pb.gz\n",
		"-tagfocus 'http.route=/login' demo.pb.gz\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colour, though this is no terminal")
	}
}
