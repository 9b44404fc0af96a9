package functions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

func piece(start, end uint64) *code { return &code{Code: &heap.Code{Start: start, End: end}} }

func (c *codes) String() string {
	var parts []string
	for _, x := range c.all {
		parts = append(parts, fmt.Sprintf("%d-%d", x.Start, x.End))
	}
	return strings.Join(parts, " ")
}

func TestPutDropsWhatOverlaps(t *testing.T) {
	for _, c := range []struct {
		start, end uint64
		want       string
	}{
		{0, 5, "0-5 10-20 30-40 50-60"},
		{0, 10, "0-10 10-20 30-40 50-60"},
		{0, 11, "0-11 30-40 50-60"},
		{10, 20, "10-20 30-40 50-60"},
		{12, 15, "12-15 30-40 50-60"},
		{19, 31, "19-31 50-60"},
		{20, 30, "10-20 20-30 30-40 50-60"},
		{22, 28, "10-20 22-28 30-40 50-60"},
		{0, 99, "0-99"},
		{35, 55, "10-20 35-55"},
		{60, 70, "10-20 30-40 50-60 60-70"},
		{65, 70, "10-20 30-40 50-60 65-70"},
	} {
		all := codes{}
		for _, start := range []uint64{50, 10, 30} {
			all.put(piece(start, start+10))
		}
		all.put(piece(c.start, c.end))
		if diff := cmp.Diff(c.want, all.String()); diff != "" {
			t.Errorf("%d-%d: %s", c.start, c.end, diff)
		}
	}
}

func TestFind(t *testing.T) {
	var all codes
	for _, start := range []uint64{10, 30, 50} {
		all.put(piece(start, start+10))
	}
	// A return address may lie at the very end of its code.
	for pc, want := range map[uint64]uint64{0: 0, 9: 0, 10: 10, 20: 10, 21: 0, 29: 0, 30: 30, 60: 50, 61: 0,
		1 << 63: 0} {
		got := uint64(0)
		if c := all.find(pc); c != nil {
			got = c.Start
		}
		if got != want {
			t.Errorf("find(%d): code at %d, want %d", pc, got, want)
		}
	}
}

func TestCachesAreBounded(t *testing.T) {
	var all codes
	for i := range uint64(maxCodes + 3) {
		all.put(piece(100*i, 100*i+50))
	}
	if n := len(all.all); n != 3 {
		t.Errorf("%d pieces of code, want those since the cache began anew", n)
	}
	v := NewResolver(heap.NewReader(nil, &layout.Layout{}), nil)
	for i := range maxPoints + 2 {
		v.keep(point{at: i})
	}
	if n := len(v.points); n != 2 {
		t.Errorf("%d points", n)
	}
}

func TestPathOfScript(t *testing.T) {
	for in, want := range map[string]string{
		"file:///srv/app/a.mjs":        "/srv/app/a.mjs",
		"file:///srv/my%20app/%C3%A9":  "/srv/my app/é",
		"file:///a.mjs?v=2#x":          "/a.mjs",
		"file://%zz":                   "file://%zz",
		"file://":                      "file://",
		"/srv/app.js":                  "/srv/app.js",
		"node:internal/modules/loader": "node:internal/modules/loader",
		"https://x/file:///a":          "https://x/file:///a",
	} {
		if got := path(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestForget: over its limit a Resolver keeps nothing more, until it has forgotten all.
func TestForget(t *testing.T) {
	m, v := newCodeSpace()
	m.compile(place, 0x2000, 100)
	v.Begin(Moment{Isolate: 1, Thread: 1})
	if v.codeOf(pc) == nil || v.Full() {
		t.Fatal("no code, or no room for it")
	}
	v.keep(point{at: 1}, make([]*Frame, maxKept/frameSize+1)...)
	if !v.Full() {
		t.Errorf("%d bytes are kept, and there is room", v.room.taken)
	}
	v.Forget()
	v.Begin(Moment{Isolate: 1, Thread: 1})
	if v.Full() || v.Codes() != 0 || len(v.points) != 0 || !v.Forgot() {
		t.Errorf("%d pieces of code and %d points are kept", v.Codes(), len(v.points))
	}
	if v.codeOf(pc) == nil {
		t.Error("code is not found again")
	}
}
