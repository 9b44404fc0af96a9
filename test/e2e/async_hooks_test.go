package e2e

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestRequestsOfAsyncHooks is TestRequests with stores in the resources of async_hooks, the default until Node 22. With
// -all it runs on every version, in both modes, for longer. The three versions that run otherwise differ in where Node
// keeps the resource that C++ code pushed, and the stores. Some samples at the start lack labels, before it is known
// where Node has its async_hooks, and which symbols are the keys of stores.
func TestRequestsOfAsyncHooks(t *testing.T) {
	t.Parallel()
	some := map[string]string{"16.20.2": "gc", "22.23.3": "plain", "26.10.0": "plain"}
	for _, mode := range []string{"plain", "gc"} {
		t.Run(mode, func(t *testing.T) {
			runNodes(t, nodes.Versions(), func(t *testing.T, v nodes.Version, node string) {
				r := requestRun{env: []string{"MODE=" + mode}, rules: judge.StoreRules, want: judge.RequestLabels,
					percent: 99.5}
				if mode == "gc" {
					r.flags = collecting
				}
				if *all {
					r.length = 14 * time.Second
				}
				if *all || some[v.Version] == mode {
					r.run(t, node, v.AsyncHooks())
				}
			})
		})
	}
}
