package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
)

// faults are functions that are wrong for inputs that a fuzzer finds at once, and one that is right. They are indented,
// so that list does not find them here.
const faults = `package faults

import "testing"

var sum int

func each(f *testing.F, do func(t *testing.T, b []byte)) {
	f.Add([]byte("abc"))
	f.Fuzz(func(t *testing.T, b []byte) { if len(b) > 3 { do(t, b) } })
}

	func FuzzPanics(f *testing.F) { each(f, func(t *testing.T, b []byte) { _ = b[len(b)] }) }
	func FuzzErrors(f *testing.F) { each(f, func(t *testing.T, b []byte) { t.Errorf("%d bytes", len(b)) }) }
	func FuzzHangs(f *testing.F)  { each(f, func(t *testing.T, b []byte) { for { } }) }
	func FuzzSlow(f *testing.F) {
		each(f, func(t *testing.T, b []byte) { for i := range 8_000_000_000 { sum += i } })
	}
	func FuzzRight(f *testing.F) { each(f, func(t *testing.T, b []byte) { first(b) }) }
`

const right = `package faults

func first(b []byte) int {
	if b[0] == 'x' {
		return 1
	}
	return 0
}
`

// TestFaults: functions that fail, hang or are slow fail, and one that is right has inputs to keep.
func TestFaults(t *testing.T) {
	draw.Seldom(t)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "faults/faults_test.go": faults,
		"faults/right.go": right} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &builds{t.TempDir(), t.TempDir()}
	for name, want := range map[string]string{"FuzzPanics": "index out of range", "FuzzErrors": "bytes",
		"FuzzHangs": "hung", "FuzzRight": ""} {
		f, long := function{"faults", name}, 2*time.Second
		if name == "FuzzHangs" {
			long = time.Minute // it ends before
		}
		r, err := b.fuzz(f, long)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Failed, want) || (r.Failed == "") != (want == "") {
			t.Errorf("%s: %q", name, r.Failed)
		}
		files, _ := inputs(f.corpus())
		if want != "" && len(files) != 1 {
			t.Errorf("%s: %d inputs are kept, want the one that fails", name, len(files))
		}
		if want != "" {
			continue
		}
		if kept, fault, err := b.keep(f); kept == 0 || fault != "" || err != nil {
			t.Errorf("%s: %d kept, %q, %v", name, kept, fault, err)
		}
		if kept, _, _ := b.keep(f); r.Executions == 0 || r.New == 0 || kept != 0 {
			t.Errorf("%+v, and %d kept later", r, kept)
		}
	}
	slow := function{"faults", "FuzzSlow"}
	found := filepath.Join(b.cache, slow.Package, slow.Function)
	if err := os.MkdirAll(found, 0o700); err != nil {
		t.Fatal(err)
	}
	text := []byte("go test fuzz v1\n[]byte(\"abcd\")\n")
	if err := os.WriteFile(filepath.Join(found, "0"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, fault, err := b.keep(slow); !strings.Contains(fault, "takes") || err != nil {
		t.Errorf("%q, %v", fault, err)
	}
}
