package main

import (
	"testing"
	"time"
)

// TestSent: what was used in the start does not count, nor what was used after the newest sample.
func TestSent(t *testing.T) {
	begin := time.Unix(1000, 0)
	w := watch{session: &session{sink: &sink{}}, steady: 1}
	for i := range 6 {
		at := begin.Add(time.Duration(i) * time.Second)
		w.points = append(w.points, point{at: at, runs: runs{samples: time.Duration(10*i+100) * time.Microsecond}})
	}
	sample := func(second float64) {
		w.session.sink.add([]uint64{uint64(begin.UnixNano()) + uint64(second*1e9)}, false)
	}
	if used, samples := w.sent(); used != 0 || samples != 0 {
		t.Errorf("nothing was sent: %v for %d samples", used, samples)
	}
	for _, second := range []float64{0.5, 1, 1.5, 2.9} {
		sample(second)
	}
	if used, samples := w.sent(); used != 0 || samples != 0 {
		t.Errorf("less than two seconds were sent: %v for %d samples", used, samples)
	}
	sample(4.5)
	if used, samples := w.sent(); used != 30*time.Microsecond || samples != 3 {
		t.Errorf("%v for %d samples, want those from second 1 to 4: 30µs for 3", used, samples)
	}
}
