package unwind

import (
	"slices"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// A table that was stored has the rules of the one that was built.
func TestStored(t *testing.T) {
	want := buildFile(t, live.Libc(t))
	got := stored(t, want)
	rows := make([]Row, got.Len())
	if err := got.ReadRows(0, rows); err != nil || !slices.Equal(rows, want.Rows) || got.End() != want.End() {
		t.Errorf("%d rows, %v, want %d", len(rows), err, len(want.Rows))
	}
	for _, r := range want.Rows {
		for _, register := range keptRegisters {
			at := want.Base + uint64(r.PC)
			if got, want := got.Kept(uint8(register), at), want.Kept(uint8(register), at); got != want {
				t.Fatalf("register %d at %#x: %d, want %d", register, at, got, want)
			}
		}
	}
}
