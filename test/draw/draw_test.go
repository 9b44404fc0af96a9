package draw

import (
	"slices"
	"strconv"
	"testing"
)

// TestShare: each draw has its share of a list, each element comes in as many of the draws, and so it is for each list.
func TestShare(t *testing.T) {
	var list []int
	for i := range 16 {
		list = append(list, i)
	}
	for _, of := range []int{2, 3, 4} {
		for _, name := range []string{"TestKinds", "TestMixed"} {
			if two := share(list[:2], of, "1", name); len(two) != 1 {
				t.Errorf("%s: %d of two", name, len(two))
			}
			times := map[int]int{}
			for commit := range 100 {
				some := share(list, of, strconv.Itoa(commit), name)
				if len(some) < len(list)/of || len(some) > len(list)/of+1 {
					t.Fatalf("%s: %d of %d", name, len(some), len(list))
				}
				for _, v := range some {
					times[v]++
				}
			}
			for _, v := range list {
				if n := times[v]; n < 100/of-16 || n > 100/of+16 {
					t.Errorf("%s: %d is in %d of 100 draws", name, v, n)
				}
			}
		}
	}
	if !slices.Equal(share(list, 3, "", "TestKinds"), list) ||
		!slices.Equal(share(list[:1], 3, "1", "TestKinds"), list[:1]) {
		t.Error("without a draw, or of one, it is not the whole list")
	}
}
