package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What Node does with each of these was seen by running it.
func TestContextFrame(t *testing.T) {
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
		got := contextFrame(c.node, strings.Fields(c.args), c.options)
		if got.On != c.on || got.Seen || got.Why == "" {
			t.Errorf("Node %s, %s, NODE_OPTIONS=%s: %+v, want on %v", c.node, c.args, c.options, got, c.on)
		}
	}
}

// Which options each line of Node has is TestContextFrame's.
func TestMendHandles(t *testing.T) {
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
		p := NodeProcess{Node: c.node, Frame: ContextFrame{On: c.on}}
		if got := p.MendHandles(); !strings.HasPrefix(got, c.want) {
			t.Errorf("Node %s, on %v: %q, want %q", c.node, c.on, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	environment := words([]byte("HOME=/\x00NODE_OPTIONS=--inspect\x00XNODE_OPTIONS=no\x00EMPTY=\x00"))
	if got := variable(environment, "NODE_OPTIONS"); got != "--inspect" {
		t.Errorf("NODE_OPTIONS is %q", got)
	}
	for text, want := range map[string][]string{
		"": nil, "node\x00": {"node"}, "node\x00\x00a b\x00": {"node", "", "a b"}, "title": {"title"},
	} {
		if diff := cmp.Diff(want, words([]byte(text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestStoreRules(t *testing.T) {
	for _, c := range []struct {
		store Store
		want  []string
	}{
		{Store{Properties: []string{"endpoint", "user", "user.id"}, Values: []string{"endpoint", "user.id"}}, []string{"endpoint=endpoint", "user.id=user.id"}},
		{Store{Properties: []string{"a", "b"}, Values: []string{"a.tenant", "b.tenant"}}, []string{"tenant=a.tenant", "b.tenant=b.tenant"}},
		{Store{Name: "session"}, []string{`session=als("session")`}},
		{Store{}, nil},
		{Store{OpenTelemetry: true, Properties: []string{"_currentContext"}, Values: []string{"x"}}, nil},
		{Store{Properties: []string{"a"}, Values: []string{"a", "b", "c", "d", "e"}}, []string{"a=a", "b=b", "c=c", "d=d"}},
	} {
		if diff := cmp.Diff(c.want, c.store.Rules()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.store, diff)
		}
	}
}
