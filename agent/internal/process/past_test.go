package process

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/elffile"
)

// TestPast: a region that is new where code of a file was is dated, also if nothing was there for a while. One that is
// new elsewhere is not, nor one that has stayed, and memory for V8's code never.
func TestPast(t *testing.T) {
	one, other := new(elffile.File), new(elffile.File)
	stays := Region{Start: 0x1000, End: 0x3000, File: other}
	is := func(f *elffile.File, since int64) Region {
		return Region{Start: 0x5000, End: 0x7000, File: f, Since: since}
	}
	above := func(since int64) Region { return Region{Start: 0x6000, End: 0x9000, File: one, Since: since} }
	generated := Region{Start: 0x5000, End: 0x7000, Kind: Generated}
	var p past
	before := []Region{stays}
	for i, want := range [][]Region{
		{stays, is(one, 0)},
		{stays, is(one, 0)},
		{stays, is(other, 3)},
		{stays, is(other, 3)},
		{stays},
		{stays, is(other, 6)},
		{stays, generated},
		{stays, above(8)},
		{stays, above(8), {Start: 0xa000, End: 0xb000, File: other}},
	} {
		now := append([]Region{}, want...)
		for j := range now {
			now[j].Since = 0
		}
		p.date(before, now, int64(i+1))
		if diff := cmp.Diff(want, now, cmp.Comparer(func(a, b *elffile.File) bool { return a == b })); diff != "" {
			t.Errorf("reading %d:\n%s", i+1, diff)
		}
		before = now
	}
}

// TestManyPast: what is not kept any more for want of room was everywhere.
func TestManyPast(t *testing.T) {
	var p past
	f := new(elffile.File)
	for i := range uint64(maxPast + 1) {
		p.date([]Region{{Start: i << 12, End: i<<12 + 0x1000, File: f}}, nil, 1)
	}
	now := []Region{{Start: 1 << 40, End: 1<<40 + 0x1000, File: f}}
	if p.date(nil, now, 2); len(p.places) != maxPast || now[0].Since != 2 {
		t.Errorf("%d places, since %d", len(p.places), now[0].Since)
	}
}
