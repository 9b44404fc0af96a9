package preflight

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/inspect"
)

// TestSentryRoute checks that the route of Sentry is offered beside the labels that its scopes make, and that the route
// of another store comes before it, since Sentry's may be a path.
func TestSentryRoute(t *testing.T) {
	const path = "isolationScope._transactionName"
	stores := []inspect.SeenStore{
		{Seen: 9, Offered: []string{"http.route=" + path}, Store: inspect.Store{Sentry: true, More: 3, Deeper: true,
			Properties: []string{"scope.refs", path}, Examples: map[string]string{path: `"GET /orders/1"`},
			Labels: []string{"span_id", "trace_id"}}},
		{Seen: 8, Offered: []string{"http.route=route"}, Store: inspect.Store{
			Properties: []string{"route"}, Examples: map[string]string{"route": `"/orders/[id]"`}}},
	}
	var out bytes.Buffer
	w := &sheet{terminal.Sheet{Writer: &out}}
	w.contexts(&inspect.Contexts{PID: 7, Node: "24.21.0", CommandLine: []string{"node"},
		Threads: []inspect.ThreadContexts{{TID: 7, Name: "MainThread", Looks: 9, Current: 9, Stores: stores}}})
	const want = `process 7: node, Node.js 24.21.0

thread 7 MainThread: looked at 9 times, in a request 9 times
  Sentry's scopes, seen 9 times
    isolationScope._transactionName  "GET /orders/1"
    makes the labels span_id, trace_id
    --label http.route=isolationScope._transactionName
  an AsyncLocalStorage without a name, seen 8 times
    route                            "/orders/[id]"
    --label http.route=route

next
  hotspan record -p 7 -d 10s --label http.route=route
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
