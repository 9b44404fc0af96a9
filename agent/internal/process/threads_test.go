package process

import (
	"slices"
	"testing"
)

// TestMainFirst: a process that was started just before the kernel came to pid_max has threads of lower ids.
func TestMainFirst(t *testing.T) {
	tids := []int{3, 32767, 5, 4}
	slices.SortFunc(tids, func(a, b int) int { return MainFirst(32767, a, b) })
	if want := []int{32767, 3, 4, 5}; !slices.Equal(tids, want) {
		t.Errorf("%v, want %v", tids, want)
	}
}
