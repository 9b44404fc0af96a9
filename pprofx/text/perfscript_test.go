package text

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

// TestPerfScriptReadsBack reads events with the expressions of speedscope and of stackcollapse-perf.pl.
func TestPerfScriptReadsBack(t *testing.T) {
	event := regexp.MustCompile(`^(\S.+?)\s+(\d+)/(\d+)\s+.*\s(\d+\.\d+): +(\d+) (\S+):\s*$`)
	frame := regexp.MustCompile(`^\s*(\w+)\s*(.+) \((\S*)\)$`)
	s, samples := pprofxtest.NewGenerator(rand.New(rand.NewPCG(5, 5))).Snapshot(500)
	events := strings.Split(strings.TrimSuffix(written(t, WritePerfScript, s), "\n\n"), "\n\n")
	if len(events) != len(samples) {
		t.Fatalf("%d events of %d samples", len(events), len(samples))
	}
	for i, text := range events {
		lines := strings.Split(text, "\n")
		m := event.FindStringSubmatch(lines[0])
		want := []string{strconv.Itoa(samples[i].PID), strconv.Itoa(samples[i].TID), "1700000000.000000", "10101010",
			"cpu-clock"}
		if m == nil || !cmp.Equal(want, m[2:]) || len(lines)-1 != len(samples[i].Stack) {
			t.Fatalf("event %q, want %v and %d frames", text, want, len(samples[i].Stack))
		}
		for j, f := range samples[i].Stack {
			m := frame.FindStringSubmatch(lines[j+1])
			if m == nil || m[2][0] == '(' || m[1] != strconv.FormatUint(f.Address, 16) {
				t.Fatalf("frame %q of %+v", lines[j+1], *f)
			}
			if jit := fmt.Sprintf("/tmp/perf-%d.map", samples[i].PID); f.Kind == pprofx.JS && m[3] != jit {
				t.Fatalf("frame %q of a process %d, want it in %s", lines[j+1], samples[i].PID, jit)
			}
		}
	}
}

func TestPerfScriptNames(t *testing.T) {
	for name, tt := range map[string]struct {
		frame *pprofx.Frame
		want  string
	}{
		"C++ namespace": {&pprofx.Frame{Function: "(anonymous namespace)::F(int)", Kind: pprofx.Native},
			"[anonymous namespace]::F(int)"},
		"C++ arrow": {&pprofx.Frame{Function: "P::operator->()", Kind: pprofx.Native}, "P::operator->()"},
		"control":   {&pprofx.Frame{Function: "a\x1b[31m\tb"}, "a [31m b"},
		"no line":   {&pprofx.Frame{Function: "f", File: "a.js"}, "f a.js"},
	} {
		if got := perfSymbol(tt.frame); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	for thread, want := range map[string]string{"": ":5", "#a b": "_a_b", "\x00": "_"} {
		if got := perfComm(thread, 5); got != want {
			t.Errorf("comm of %q: %q, want %q", thread, got, want)
		}
	}
}
