package page

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// ofTurn is a snapshot of half a second: samples of one turn of an event loop.
func ofTurn(t *testing.T, at int64, turn uint64) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(at, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(50) {
		b.Add(&pprofx.Sample{Time: at + i*1e7, PID: 1, TID: 1, Stop: pprofx.StopRoot, Turn: turn, Start: at - 3e6,
			Stack: []*pprofx.Frame{{Function: "f", File: "/a.js", Kind: pprofx.JS}}})
	}
	return b.Cut(at + 5e8)
}

// Recordings stand one behind the other, whenever they were, and what is at an end of one does not go on in the next.
func TestComparison(t *testing.T) {
	const day = 86_400_000_000_000
	for name, later := range map[string]int64{"later": day, "earlier": -day, "the same": 0, "overlapping": 1e8} {
		var out bytes.Buffer
		c := NewComparison(&out, "tenant")
		for i, which := range []string{"old", "new"} {
			c.Begin(which)
			at := start + int64(i)*later
			for _, s := range []*pprofx.Snapshot{ofTurn(t, at, 7), ofTurn(t, at+5e8, 7)} {
				if err := c.Add(s); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		d := unpack(t, out.Bytes())
		var h header
		if err := json.Unmarshal([]byte(d.text(d.number())), &h); err != nil {
			t.Fatal(err)
		}
		if len(h.Parts) != 2 || len(h.Stalls) != 2 || h.Loops != 1 || h.By != "tenant" || len(h.Intervals) != 2 {
			t.Fatalf("%s: %+v", name, h)
		}
		older, newer := h.Parts[0], h.Parts[1]
		gap := newer.Start - older.End
		want := part{Name: "new", Start: newer.Start, End: newer.Start + older.End - older.Start,
			Later: (start+later)/1000 - newer.Start}
		if diff := gocmp.Diff(want, newer); diff != "" || gap < 1000 || gap > 1e6/20 || older.Later != 0 {
			t.Errorf("%s: a gap of %d µs: %s", name, gap, diff)
		}
		for i, stall := range h.Stalls {
			if stall.Samples != 100 || stall.Start/1000 != h.Parts[i].Start {
				t.Errorf("%s: stall %d of %d samples at %d", name, i, stall.Samples, stall.Start)
			}
		}
		for i, s := range decode(t, out.Bytes()).samples {
			if want := 1 + 3 + i%50*10; s.Age != want {
				t.Errorf("%s: sample %d has the age %d, want %d", name, i, s.Age, want)
			}
		}
	}
}

func TestComparisonErrors(t *testing.T) {
	for says, test := range map[string]func(*Comparison) error{
		"before the first recording": func(c *Comparison) error { return c.Add(ofTurn(t, start, 7)) },
		"earlier than the first": func(c *Comparison) error {
			c.Begin("old")
			if err := c.Add(ofTurn(t, start, 7)); err != nil {
				return err
			}
			return c.Add(ofTurn(t, start-1e9, 7))
		},
	} {
		if err := test(NewComparison(new(bytes.Buffer), "")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
