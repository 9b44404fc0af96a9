package e2e

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestMixed: for a service under load that does everything, on every Node.js, every stack is whole, every function has
// its name, and each sample is in the job that ran.
func TestMixed(t *testing.T) {
	t.Parallel()
	runNodes(t, nodes.Versions(), func(t *testing.T, _ nodes.Version, node string) {
		p := start(t, node, "mixed.js", nil, nil)
		samples := recordEnoughJS(t, hotspan, p.PID, 1997, 2000, 3*time.Second)
		l := p.truth(t)
		v := judge.CompareReach(samples, p.PID)
		tell(t, append(v.EndsList(), v.Examples.List()...))
		atLeast(t, v.Root, "to the thread's first frame", 99.9, 1500)
		inTime(t, v.Frames, "JavaScript frames named", 99, 3000)
		jobs := judge.Within(samples, l, "times")
		tell(t, jobs.Examples.List())
		isTold(t, jobs)
		atLeast(t, jobs.Right, "samples in the job that ran", 99.5, 1000)
	})
}
