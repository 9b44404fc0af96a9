package context

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func steps(names ...string) []Step {
	var out []Step
	for _, n := range names {
		out = append(out, Step{Name: n})
	}
	return out
}

func TestParseRule(t *testing.T) {
	for in, want := range map[string]Rule{
		"endpoint=endpoint":          {Label: "endpoint", Store: "", Path: steps("endpoint")},
		"tenant=user.tenant":         {Label: "tenant", Store: "", Path: steps("user", "tenant")},
		" tenant = user.tenant ":     {Label: "tenant", Store: "", Path: steps("user", "tenant")},
		`id=als("session").user.id`:  {Label: "id", Store: "session", Path: steps("user", "id")},
		`id=als("session")`:          {Label: "id", Store: "session", Path: nil},
		`id=als("a.b=c (d)").e`:      {Label: "id", Store: "a.b=c (d)", Path: steps("e")},
		"a=b=c":                      {Label: "a", Store: "", Path: steps("b=c")},
		"http.route=route":           {Label: "http.route", Store: "", Path: steps("route")},
		"a=#private._x$.__proto__.0": {Label: "a", Store: "", Path: steps("#private", "_x$", "__proto__", "0")},
	} {
		got, err := ParseRule(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}

func TestParseRuleErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                "want NAME=PATH",
		"tenant":          "want NAME=PATH",
		"=user":           "want NAME=PATH",
		"tenant=":         "want NAME=PATH",
		"tenant= ":        "want NAME=PATH",
		"a=.b":            "empty property name",
		"a=b.":            "empty property name",
		"a=b..c":          "empty property name",
		`a=als("s").`:     "empty property name",
		`a=als("s")..b`:   "empty property name",
		`a=als("s"`:       `want als("NAME")`,
		`a=als("")`:       `want als("NAME")`,
		`a=als("").b`:     `want als("NAME")`,
		`a=als("s")b`:     `want als("NAME")`,
		`a=als("session)`: `want als("NAME")`,
	} {
		got, err := ParseRule(in)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "label \"") {
			t.Errorf("%s: %+v, %v, want an error with %q", in, got, err, want)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	f.Add(`id=als("session").user.id`)
	f.Add("tenant=user.tenant")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRule(s)
		if err != nil {
			return
		}
		if r.Label == "" || r.Store == "" && len(r.Path) == 0 {
			t.Fatalf("%q: %+v", s, r)
		}
		for _, step := range r.Path {
			if step.Name == "" || step.Symbol {
				t.Fatalf("%q: %+v", s, r)
			}
		}
		if _, err := NewTree([]Rule{r}); err != nil && len(r.Path) < MaxNodes {
			t.Fatal(err)
		}
	})
}
