package export

import (
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/pprofx"
)

// TestTooLarge: what is too large for a receiver is halved until it is taken.
func TestTooLarge(t *testing.T) {
	tries := 0
	r := &receiver{answer: func(s *pprofx.Snapshot) error {
		if tries++; len(s.Rows) > 1 {
			return status.Error(codes.ResourceExhausted, "grpc: received message larger than max (9 vs. 8)")
		}
		return nil
	}}
	s, d, _ := fixture(t, r, nil)
	fill(t, s, 2)
	deliverAll(t, d)
	got := d.Stats()
	if got.Samples != 20 || got.Dropped != 0 || !slices.Equal(r.times, times(2)) || tries != 2*19 {
		t.Errorf("%+v, %d tries: %v", got, tries, r.times)
	}
}

// TestAlwaysTooLarge: a receiver that says of any message that it is too large is not asked for ever.
func TestAlwaysTooLarge(t *testing.T) {
	_, d, _ := fixture(t, &receiver{}, nil)
	const samples = 1000
	refusal := status.Error(codes.ResourceExhausted, "grpc: received message larger than max (9 vs. 8)")
	b, err := pprofx.NewBuilder(1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(samples) {
		b.Add(&pprofx.Sample{Time: 1000 + i, PID: 1, TID: 1, Stop: pprofx.StopRoot,
			Stack: []*pprofx.Frame{{Function: "f"}}})
	}
	left, err := parts(d.to, b.Cut(1000+samples))
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	for ; len(left) > 0; tries++ {
		left = append(d.halve(left[0], refusal), left[1:]...)
	}
	if got := d.Stats().Dropped; tries != 1<<(maxHalved+1)-1 || got != samples {
		t.Errorf("%d tries, %d samples dropped", tries, got)
	}
}

// TestExhausted: to a receiver that has too much of everything not more is sent, and what was is dropped and counted.
func TestExhausted(t *testing.T) {
	tries := 0
	refusal := status.Error(codes.ResourceExhausted, "ingestion rate limit exceeded")
	r := &receiver{answer: func(*pprofx.Snapshot) error {
		if tries++; tries == 1 {
			return refusal
		}
		return nil
	}}
	s, d, _ := fixture(t, r, nil)
	fill(t, s, 2)
	deliverAll(t, d)
	want := Stats{Snapshots: 2, Samples: 10, Dropped: 10, Why: refusal.Error()}
	if got := d.Stats(); got != want || tries != 2 {
		t.Errorf("%+v, want %+v, %d tries", got, want, tries)
	}
}
