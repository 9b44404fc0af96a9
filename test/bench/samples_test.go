package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
)

func TestCountSamples(t *testing.T) {
	write := func(unit string) string {
		function := &profile.Function{ID: 1, Name: "f"}
		location := &profile.Location{ID: 1, Line: []profile.Line{{Function: function}}}
		p := &profile.Profile{
			SampleType: []*profile.ValueType{{Type: "samples", Unit: unit}, {Type: "cpu", Unit: "nanoseconds"}},
			Sample: []*profile.Sample{{Location: []*profile.Location{location}, Value: []int64{3, 30}},
				{Location: []*profile.Location{location}, Value: []int64{4, 40}}},
			Function: []*profile.Function{function}, Location: []*profile.Location{location},
		}
		file := filepath.Join(t.TempDir(), "p.pb.gz")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := p.Write(f); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if n, err := countSamples(write("count")); n != 7 || err != nil {
		t.Errorf("%d samples, error %v; want 7", n, err)
	}
	for _, bad := range []string{write("nanoseconds"), "samples_test.go", "nothing.pb.gz"} {
		if n, err := countSamples(bad); err == nil {
			t.Errorf("%s has %d samples, want an error", bad, n)
		}
	}
}

func TestFirstNamed(t *testing.T) {
	for text, want := range map[string]int64{
		"":                                      0,
		`{"t":5,"stack":[{"f":"main"}]}` + "\n": 0,
		`{"t":5,"stack":[{"f":"main"}]}` + "\n" + `{"t":9,"stack":[{"f":"x"},{"f":"work"}]}` + "\n" +
			`{"t":7,"stack":[{"f":"render"}]}` + "\n": 7,
	} {
		file := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		at, ok, err := firstNamed(file)
		if err != nil || ok != (want != 0) || ok && at.UnixNano() != want {
			t.Errorf("%q: %v, %v, error %v; want %d", text, at, ok, err, want)
		}
	}
	if _, _, err := firstNamed("samples_test.go"); err == nil {
		t.Error("Go code is read as samples")
	}
}
