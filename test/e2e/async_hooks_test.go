package e2e

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// TestRequestsOfAsyncHooks is TestRequests where stores are kept in the resources of async_hooks: by default until Node
// 22. With -all it is run on every version, in both modes, for longer.
func TestRequestsOfAsyncHooks(t *testing.T) {
	short := map[string]string{"16.20.2": "gc", "18.20.8": "plain", "20.20.2": "plain", "22.23.3": "gc", "24.21.0": "plain"}
	for _, mode := range []string{"plain", "gc"} {
		t.Run(mode, func(t *testing.T) {
			runNodes(t, nodes.Versions(), func(t *testing.T, v nodes.Version, node string) {
				var flags []string
				if v.Major() >= 24 {
					flags = []string{"--no-async-context-frame"}
				}
				if *all {
					requests(t, node, mode, flags, 14*time.Second, 5000)
				} else if short[v.Version] == mode {
					requests(t, node, mode, flags, 4*time.Second, 1500)
				}
			})
		})
	}
}
