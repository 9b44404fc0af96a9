package nodes

import (
	"slices"
	"strconv"
	"testing"
)

// TestDrawn: each draw has a third of the versions, each version comes in a third of the draws, and so it is for each
// test.
func TestDrawn(t *testing.T) {
	list := Versions()
	for _, test := range []string{"TestKinds", "TestMixed"} {
		if two := drawn(list[:2], "1", test); len(two) != 1 {
			t.Errorf("%s: %d of two versions", test, len(two))
		}
		times := map[string]int{}
		for commit := range 100 {
			some := drawn(list, strconv.Itoa(commit), test)
			if len(some) < len(list)/3 || len(some) > len(list)/3+1 {
				t.Fatalf("%s: %d of %d versions", test, len(some), len(list))
			}
			for _, v := range some {
				times[v.Version]++
			}
		}
		for _, v := range list {
			if n := times[v.Version]; n < 18 || n > 48 {
				t.Errorf("%s: %s is in %d of 100 draws", test, v.Version, n)
			}
		}
	}
	if !slices.Equal(drawn(list, "", "TestKinds"), list) || !slices.Equal(drawn(list[:1], "1", "TestKinds"), list[:1]) {
		t.Error("without a draw, or of one version, it is not the whole list")
	}
}
