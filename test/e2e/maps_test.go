package e2e

import (
	"testing"
	"time"
)

// TestMapsOfThreads: scripts that come with source maps in many ways (programs/maps/kinds.js), which have the same
// numbers in several threads, and of which some have the same names, all show the functions of their sources.
func TestMapsOfThreads(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "maps.js", nil, []string{"FOLDER=" + t.TempDir()})
		samples := recordEnoughJS(t, hotspan, p.PID, 997, 2500, 5*time.Second)
		v := compare(t, samples, p.truth(t))
		inTime(t, v.Right, "leaf function right", 99, 1500)
		atLeast(t, v.LeafLine, "leaf line inside the function", 99, 1500)
		inTime(t, v.Callers, "caller right", 99, 1500)
		atLeast(t, v.Line, "caller's line right", 99.9, 1500)
		atLeast(t, v.Column, "caller's column right", 99.9, 1500)
		if v.Wrong > 0 {
			t.Errorf("%d wrong functions, want none", v.Wrong)
		}
	})
}
