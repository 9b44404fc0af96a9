// Package recordingtest has recordings, and snapshots of them, for tests.
package recordingtest

import (
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

// Snapshot has two samples of one frame.
func Snapshot(t *testing.T) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(0, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(2) {
		b.Add(&pprofx.Sample{Time: 5 + i, PID: 1, TID: 1, Stop: pprofx.StopRoot,
			Stack: []*pprofx.Frame{{Function: "work"}}})
	}
	return b.Cut(100)
}

// Besides returns the snapshots of three intervals, each with one of CPU time, of 2 samples, and one of hits, of 3.
func Besides(t *testing.T) (all []*pprofx.Snapshot) {
	t.Helper()
	const start, length = 1_760_000_000_000_000_000, 1_000_000_000
	var builders []*pprofx.Builder
	for _, m := range []pprofx.Measure{pprofx.CPUTime, pprofx.HitCount} {
		b, err := pprofx.NewBuilder(start, 10_000_000)
		if err != nil {
			t.Fatal(err)
		}
		b.SetMeasure(m)
		builders = append(builders, b)
	}
	for i := range int64(3) {
		for k, b := range builders {
			for n := range int64(2 + k) {
				s := pprofx.Sample{Time: start + i*length + n, PID: 1, TID: 1, Stop: pprofx.StopRoot,
					Stack: []*pprofx.Frame{{Function: "work"}}}
				if k == 1 {
					s.Labels = []pprofx.Label{{Key: pprofx.ProbeLabel, Str: "syscall:write"}}
				}
				b.Add(&s)
			}
			b.Lose(pprofx.LostOverlapped, int64(k))
			all = append(all, b.Cut(start+(i+1)*length))
		}
	}
	return all
}
