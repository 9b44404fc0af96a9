package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestPoolWaits: a thread of libuv's pool that waits for a condition in a job is not idle, whoever has given it the
// job, and whether labels are read or not.
func TestPoolWaits(t *testing.T) {
	const jobs = 20
	eachNode(t, func(t *testing.T, node string) {
		code := fmt.Sprintf(`
			const { wait } = require(%q);
			const next = (n) => n > 0 && wait(() => next(n - 1));
			setTimeout(next, 500, %d);
			setTimeout(() => {}, 2500);`, addon(t, node, "pool_wait.c"), jobs)
		for _, labels := range []string{"custom", "none"} {
			out := filepath.Join(t.TempDir(), "out.jsonl")
			r := run(t, "record", "--off-cpu", "--min-wait", "10ms", "--labels", labels, "-o", out, "--", node, "-e",
				code)
			n := 0
			for _, s := range readSamples(t, out) {
				if inFunction(&s, "waitInPool") && s.Weight > 45e6 {
					n++
				}
			}
			if n != jobs {
				t.Errorf("%d jobs have waited, samples have %d\n%s", jobs, n, r.Stderr)
			}
		}
	})
}
