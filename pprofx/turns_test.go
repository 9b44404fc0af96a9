package pprofx

import (
	"slices"
	"testing"
)

// Samples keep the number of a turn that takes long, or that may: the first and the last of a thread in a snapshot.
func TestKeepLongTurns(t *testing.T) {
	const ms = 1e6
	b, err := NewBuilder(0, ms)
	if err != nil {
		t.Fatal(err)
	}
	add := func(at int64, tid int, turn uint64) {
		b.Add(&Sample{Time: at * ms, PID: 1, TID: tid, Thread: "node", Stop: StopRoot, Turn: turn})
	}
	for at, turn := range []uint64{1, 1, 2, 2, 3, 4, 5} { // one that may have begun before, and one that may go on
		add(int64(at), 1, turn)
	}
	for at := range int64(30) {
		add(at, 2, 10+uint64(at/25)) // 25 ms, and some of the next
		add(at, 3, 0)
	}
	add(30, 2, 12)
	add(4, 2, 10) // a record that came late
	for at, turn := range []uint64{7, 8, 8, 9} {
		add(20*int64(at), 4, turn) // the second is short by 5 ms
	}
	for at, turn := range []uint64{7, 8, 8, 9} {
		add(25*int64(at), 5, turn)
	}
	s := b.Cut(1000 * ms)
	got := map[int32][]uint32{}
	for _, r := range s.Rows {
		got[r.TID] = append(got[r.TID], r.Turn)
	}
	two := slices.Concat(slices.Repeat([]uint32{10}, 26), []uint32{0, 0, 0, 0, 0, 12})
	for tid, want := range map[int32][]uint32{
		1: {1, 1, 0, 0, 0, 0, 5}, 2: two, 3: make([]uint32, 30), 4: {7, 0, 0, 9}, 5: {7, 8, 8, 9},
	} {
		if !slices.Equal(got[tid], want) {
			t.Errorf("thread %d: turns %v, want %v", tid, got[tid], want)
		}
	}
}

// A turn that is one wait lasts as long as that.
func TestKeepLongWaits(t *testing.T) {
	const ms = 1e6
	for m, want := range map[Measure][]uint32{
		CPUTime: {1, 0, 0, 4}, HitBytes: {1, 0, 0, 4}, OffCPU: {1, 2, 0, 4}, WallTime: {1, 2, 0, 4},
	} {
		b, err := NewBuilder(0, ms)
		if err != nil {
			t.Fatal(err)
		}
		b.SetMeasure(m)
		for i, wait := range []int64{10, 25, 24, 10} {
			b.Add(&Sample{Time: int64(i+1) * 100 * ms, PID: 1, TID: 1, Thread: "node", Stop: StopRoot,
				Turn: uint64(i + 1), Weight: wait * ms})
		}
		var got []uint32
		for _, r := range b.Cut(1000 * ms).Rows {
			got = append(got, r.Turn)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: turns %v, want %v", m, got, want)
		}
	}
}
