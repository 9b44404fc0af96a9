package sampler

import "testing"

// TestInKernel: the time of a program counts once, however often it is read, and beside that of others.
func TestInKernel(t *testing.T) {
	before := InKernel()
	agent, capture := &Sampler{}, &Sampler{}
	agent.addInKernel(5)
	capture.addInKernel(20)
	agent.addInKernel(5)
	agent.addInKernel(8)
	if got := InKernel() - before; got != 28 {
		t.Errorf("%v, want 28 ns", got)
	}
}
