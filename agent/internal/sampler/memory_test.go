package sampler

import "testing"

// TestInKernel: the time of a program counts once, however often it is read, and beside that of others.
func TestInKernel(t *testing.T) {
	before := InKernel()
	var agent, capture kernelTime
	agent.count(5)
	capture.count(20)
	agent.count(5)
	agent.count(8)
	if got := InKernel() - before; got != 28 {
		t.Errorf("%v, want 28 ns", got)
	}
}
