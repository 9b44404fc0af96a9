package main

import (
	"slices"
	"testing"
)

// TestInOrder: each round has all, and over 2n rounds each has each place equally often.
func TestInOrder(t *testing.T) {
	const n = 5
	var places [n][n]int
	for round := range 2 * n {
		order := inOrder(n, round)
		for place, i := range order {
			places[i][place]++
		}
		if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, []int{0, 1, 2, 3, 4}) {
			t.Errorf("round %d: %v", round, order)
		}
	}
	for i, row := range places {
		for place, times := range row {
			if times != 2 {
				t.Errorf("%d is %d times at place %d, want 2", i, times, place)
			}
		}
	}
	if slices.Equal(inOrder(n, 0), inOrder(n, 1)) {
		t.Error("the order does not alternate")
	}
}
