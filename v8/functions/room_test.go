package functions

import (
	"testing"
	"time"
)

// TestStale: what a process makes anew all the time is forgotten again and again, and what it goes on with is not.
func TestStale(t *testing.T) {
	const second, mb = int64(time.Second), 1 << 20
	for _, c := range []struct {
		what        string
		first, each int // bytes at the start, and in each second
		forgotten   int // times in four hours
		most        int // bytes that are kept
	}{
		{"new code all the time", 2 * mb, 10 << 10, 10, 17 * mb}, // 14 MB more in 24 minutes
		{"much new code", 2 * mb, 40 << 10, 21, 28 * mb},         // 14 MB after five minutes, twice that after eleven
		{"a large program", 40 * mb, 0, 0, 40 * mb},
		{"a large program with some new code", 30 * mb, 1 << 10, 0, 45 * mb},
		{"a small one", mb, 100, 0, 3 * mb},
	} {
		var r room
		forgotten, most := 0, 0
		r.take(c.first)
		for now := int64(1); now < 4*3600*second; now += second {
			r.take(c.each)
			most = max(most, r.taken)
			if r.stale(now) {
				r = room{}
				r.take(c.first)
				forgotten++
			}
		}
		if forgotten != c.forgotten || most > c.most {
			t.Errorf("%s: forgotten %d times, %d MB at most", c.what, forgotten, most/mb)
		}
	}
}
