package inspect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStoreRules(t *testing.T) {
	for _, c := range []struct {
		store Store
		want  []string
	}{
		{Store{Properties: []string{"endpoint", "user", "user.id"}, Values: []string{"endpoint", "user.id"}},
			[]string{"endpoint=endpoint", "user.id=user.id"}},
		{Store{Properties: []string{"a", "b"}, Values: []string{"a.tenant", "b.tenant"}},
			[]string{"tenant=a.tenant", "b.tenant=b.tenant"}},
		{Store{Values: []string{"route"}, Examples: map[string]string{"route": `"/cpu/[id]"`}},
			[]string{"http.route=route"}}, // of Next.js
		{Store{Values: []string{"route"}, Examples: map[string]string{"route": `"north"`}},
			[]string{"route=route"}},
		{Store{Values: []string{"route.domain", "route.pattern"},
			Examples: map[string]string{"route.domain": `"root"`, "route.pattern": `"/orders/:id"`}},
			[]string{"http.route=route.pattern", "domain=route.domain"}}, // of AdonisJS
		{Store{Values: []string{"a", "b", "c", "d", "event.route.id"},
			Examples: map[string]string{"event.route.id": `"/items/[id]"`}},
			[]string{"http.route=event.route.id", "a=a", "b=b", "c=c"}}, // of SvelteKit
		{Store{Values: []string{"route.id", "route.path"},
			Examples: map[string]string{"route.id": `"/a/[id]"`, "route.path": `"/a/:id"`}},
			[]string{"http.route=route.id", "path=route.path"}},
		{Store{Name: "session"}, []string{`session=als("session")`}},
		{Store{}, nil},
		{Store{OpenTelemetry: true, Properties: []string{"_currentContext"}, Values: []string{"x"}}, nil},
		{Store{Sentry: true, Values: []string{"scope.x", sentryRoute}, Labels: []string{"trace_id"}},
			[]string{"http.route=" + sentryRoute}},
		{Store{Sentry: true, Values: []string{sentryRoute}, Labels: []string{"http.route"}}, nil},
		{Store{Sentry: true, Values: []string{"scope.x"}}, nil},
		{Store{Properties: []string{"a"}, Values: []string{"a", "b", "c", "d", "e"}},
			[]string{"a=a", "b=b", "c=c", "d=d"}},
		{Store{Properties: []string{"a"}, Values: []string{"\x1b[2J", "\"\u202eb\"", "a"}}, []string{"a=a"}},
		{Store{Name: "\u009b2J"}, nil},
	} {
		if diff := cmp.Diff(c.want, c.store.Rules()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.store, diff)
		}
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"/usr/local/bin/hotspan": "/usr/local/bin/hotspan",
		"/opt/my tools/hotspan":  "'/opt/my tools/hotspan'",
		"it's":                   `'it'\''s'`,
		"$(reboot)":              "'$(reboot)'",
		"tenant=user.tenant":     "tenant=user.tenant",
		`s=als("a").b`:           `'s=als("a").b'`,
	} {
		if got := Quoted(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}
