package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/pprof"
)

// fromPprof writes a snapshot as pprof, reads it back with google/pprof, and counts samples by what they are.
func fromPprof(t *testing.T, s *pprofx.Snapshot) map[string]int64 {
	t.Helper()
	var file bytes.Buffer
	if err := pprof.Write(&file, s); err != nil {
		t.Fatal(err)
	}
	return countPprof(t, &file)
}

func countPprof(t *testing.T, r io.Reader) map[string]int64 {
	t.Helper()
	p, err := profile.Parse(r)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, sample := range p.Sample {
		var frames []string
		for _, l := range sample.Location {
			frames = append(frames, pprofLocation(l)...)
		}
		counts[text(frames, pprofLabels(sample))] += sample.Value[0]
	}
	return counts
}

// pprofLabels leaves out the unit that pprof needs to tell a zero from nothing.
func pprofLabels(s *profile.Sample) map[string]string {
	labels := map[string]string{}
	for key, values := range s.Label {
		labels[key] = strings.Join(values, ",")
	}
	for key, values := range s.NumLabel {
		labels[key] = fmt.Sprint(values[0]) + strings.TrimSuffix(strings.Join(s.NumUnit[key], ""), "count")
	}
	return labels
}

// pprofLocation takes the kind from the system name (js:main), and no mapping for one that stands for no file.
func pprofLocation(l *profile.Location) []string {
	module, buildID := "", ""
	if l.Mapping != nil {
		module, buildID = l.Mapping.File, l.Mapping.BuildID
	}
	if module == "[v8]" || module == "[unknown]" {
		module = ""
	}
	var frames []string
	for _, n := range l.Line {
		kind, _, _ := strings.Cut(n.Function.SystemName, ":")
		frames = append(frames, frame(kind, n.Function.Name, n.Function.Filename, n.Line, n.Column, module, buildID,
			l.Address))
	}
	return frames
}
