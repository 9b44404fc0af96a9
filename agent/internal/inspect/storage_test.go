package inspect

import (
	"strings"
	"testing"
)

// What Node does with each of these was seen by running it.
func TestExpectedLocation(t *testing.T) {
	for _, c := range []struct {
		node, args, options string
		on                  bool
	}{
		{"22.23.3", "node app.js", "", false},
		{"22.23.3", "node --experimental-async-context-frame app.js", "", true},
		{"22.23.3", "node app.js --experimental-async-context-frame", "", false},
		{"22.23.3", "node app.js", "--experimental-async-context-frame", true},
		{"22.23.3", "node --no-experimental-async-context-frame app.js", "--experimental-async-context-frame", false},
		{"24.21.0", "node app.js", "", true},
		{"24.21.0", "node --no-async-context-frame app.js", "", false},
		{"24.21.0", "node --no_async_context_frame app.js", "", false},
		{"24.21.0", "node --async-context-frame --no-async-context-frame app.js", "", false},
		{"26.10.0", "node --async-context-frame app.js", "--no-async-context-frame", true},
		{"26.10.0", "node -r ./hook.js --no-async-context-frame app.js", "", false},
		{"26.10.0", "node -- app.js --no-async-context-frame", "", true},
		{"26.10.0", "", "", true}, // a process may overwrite its command line
		{"20.20.2", "node app.js", "", false},
		{"22.6.0", "node app.js", "", false},
		{"", "node app.js", "", false},
	} {
		got := ExpectedLocation(c.node, strings.Fields(c.args), c.options)
		if got.InFrame != c.on || got.Seen || got.Why == "" {
			t.Errorf("Node %s, %s, NODE_OPTIONS=%s: %+v, want on %v", c.node, c.args, c.options, got, c.on)
		}
	}
}

// Which options each line of Node has is TestExpectedLocation's.
func TestFixHandles(t *testing.T) {
	for _, c := range []struct {
		node string
		on   bool
		want string
	}{
		{"24.21.0", true, "it takes dd-trace 5.107"},
		{"22.23.3", true, "it takes dd-trace 5.107"},
		{"26.10.0", false, "it takes Node.js without --no-async-context-frame, and dd"},
		{"22.23.3", false, "it takes Node.js with --experimental-async-context-frame, and dd"},
		{"23.11.1", false, "it takes Node.js with --experimental-async-context-frame, and dd"},
		{"22.6.0", false, "it takes Node.js 24 or later, and dd"},
		{"16.20.2", false, "it takes Node.js 24 or later, and dd"},
		{"", false, "it takes Node.js 24 or later, and dd"},
	} {
		if got := (StoreLocation{InFrame: c.on}).FixHandles(c.node); !strings.HasPrefix(got, c.want) {
			t.Errorf("Node %s, on %v: %q, want %q", c.node, c.on, got, c.want)
		}
	}
}
