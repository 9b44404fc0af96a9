package layout

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each place is reported once, also where a needle lies across two chunks.
func TestScanAcrossChunks(t *testing.T) {
	b := make([]byte, 3*scanChunk)
	want := map[int64]bool{0: true, scanChunk - 4: true, scanChunk + 3: true, 2*scanChunk - 6: true,
		3*scanChunk - 6: true}
	for at := range want {
		copy(b[at:], "needle")
	}
	got := map[int64]bool{}
	scan(bytes.NewReader(b), piece{0, int64(len(b))}, [][]byte{[]byte("absent"), []byte("needle")},
		func(k int, at int64) bool {
			if got[at] || k != 1 {
				t.Errorf("needle %d at %d reported again", k, at)
			}
			got[at] = true
			return true
		})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScanStops(t *testing.T) {
	count := func(size int64, stopAt int) (n int) {
		all := bytes.Repeat([]byte("x"), 2*maxHits)
		scan(bytes.NewReader(all), piece{10, size}, [][]byte{[]byte("x")}, func(int, int64) bool {
			n++
			return n != stopAt
		})
		return n
	}
	if n := count(100, -1); n != 100 {
		t.Errorf("%d hits in a piece of 100 bytes", n)
	}
	if n := count(100, 7); n != 7 {
		t.Errorf("%d hits, told to stop at 7", n)
	}
	if n := count(1<<40, -1); n != maxHits {
		t.Errorf("%d hits in a piece that is longer than the file, want the cap %d", n, maxHits)
	}
}
