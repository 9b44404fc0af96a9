package context

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

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
		"endpoint=endpoint":         {Label: "endpoint", Store: "", Path: steps("endpoint")},
		"tenant=user.tenant":        {Label: "tenant", Store: "", Path: steps("user", "tenant")},
		" tenant = user.tenant ":    {Label: "tenant", Store: "", Path: steps("user", "tenant")},
		`id=als("session").user.id`: {Label: "id", Store: "session", Path: steps("user", "id")},
		`id=als("session")`:         {Label: "id", Store: "session", Path: nil},
		`id=als("a.b=c (d)").e`:     {Label: "id", Store: "a.b=c (d)", Path: steps("e")},
		"a=b=c":                     {Label: "a", Store: "", Path: steps("b=c")},
		"http.route=route":          {Label: "http.route", Store: "", Path: steps("route")},
		"a=#private._x$.__proto__":  {Label: "a", Store: "", Path: steps("#private", "_x$", "__proto__")},
		"a=store":                   {Label: "a"},
		"a=store.user.id":           {Label: "a", Path: steps("user", "id")},
		"a=storefront.id":           {Label: "a", Path: steps("storefront", "id")},
		`a=["store"].id`:            {Label: "a", Path: steps("store", "id")},
		`a=store["odd key"]['b.c']`: {Label: "a", Path: steps("odd key", "b.c")},
		`a=x["say \"hi\" \\"]`:      {Label: "a", Path: steps("x", `say "hi" \`)},
		"a=x[0].y.12": {Label: "a",
			Path: []Step{{Name: "x"}, {Kind: Element}, {Name: "y"}, {Kind: Element, Index: 12}}},
		`a=get("tenant").id`:       {Label: "a", Path: []Step{{Kind: MapEntry, Name: "tenant"}, {Name: "id"}}},
		`a=store.get('a)b')`:       {Label: "a", Path: []Step{{Kind: MapEntry, Name: "a)b"}}},
		`a=get`:                    {Label: "a", Path: steps("get")},
		`a=x.get(Symbol.for("k"))`: {Label: "a", Path: []Step{{Name: "x"}, {Kind: GlobalEntry, Name: "k"}}},
		`a=als("r").get(Symbol("k"))[1]`: {Label: "a", Store: "r",
			Path: []Step{{Kind: SymbolEntry, Name: "k"}, {Kind: Element, Index: 1}}},
		`a=als("r")["k"]`: {Label: "a", Store: "r", Path: steps("k")},
		`t=baggage("tenant")`: {Label: "t",
			Path: []Step{{Name: "_currentContext"}, {Kind: GlobalEntry, Name: "OpenTelemetry Baggage Key"},
				{Name: "_entries"}, {Kind: MapEntry, Name: "tenant"}, {Name: "value"}}},
	} {
		got, err := ParseRule(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
		again, err := ParseRule(got.Label + "=" + got.String())
		if diff := cmp.Diff(want, again); diff != "" || err != nil {
			t.Errorf("%s, written as %s: %v %s", in, got.String(), err, diff)
		}
	}
}

func TestParseRuleErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "want NAME=PATH",
		"tenant":                "want NAME=PATH",
		"=user":                 "want NAME=PATH",
		"tenant=":               "want NAME=PATH",
		"tenant= ":              "want NAME=PATH",
		"a=.b":                  "empty property name",
		"a=b.":                  "empty property name",
		"a=b..c":                "empty property name",
		`a=als("s").`:           "empty property name",
		`a=als("s")..b`:         "empty property name",
		`a=als("s"`:             `want als("NAME")`,
		`a=als("")`:             `want als("NAME")`,
		`a=als("").b`:           `want als("NAME")`,
		`a=als("s")b`:           "want . or [",
		`a=als("session)`:       `want als("NAME")`,
		`a=als(session)`:        `want als("NAME")`,
		"a=x[y]":                `want ["NAME"] or [INDEX]`,
		"a=x[1":                 `want ["NAME"] or [INDEX]`,
		`a=x["y"`:               `want ["NAME"] or [INDEX]`,
		`a=x["y]`:               "not closed",
		`a=x[""]`:               "empty name",
		"a=x[65536]":            "at most 65535",
		`a=get("x"`:             `want get("KEY")`,
		"a=get(x)":              "in quotation marks",
		`a=get(Symbol.for("x")`: `want get("KEY")`,
		`a=x()`:                 "want . or [",
		`a=x["y"]z`:             "want . or [",
		`a=baggage("x").y`:      "nothing behind",
		"a=baggage(x)":          `want baggage("KEY")`,
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
	f.Add(`a=store.get(Symbol.for("k"))[3]["x y"].get('z')`)
	f.Add(`a=baggage("k")`)
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRule(s)
		if err != nil {
			return
		}
		if r.Label == "" {
			t.Fatalf("%q: %+v", s, r)
		}
		for _, step := range r.Path {
			if (step.Name == "") != (step.Kind == Element) {
				t.Fatalf("%q: %+v", s, r)
			}
		}
		again, err := ParseRule(r.Label + "=" + r.String())
		if diff := cmp.Diff(r, again); diff != "" || err != nil {
			t.Fatalf("%q, written as %q: %v %s", s, r.String(), err, diff)
		}
		if _, err := NewTree([]Rule{r}); err != nil && len(r.Path) < MaxNodes && !hasLongName(r) {
			t.Fatal(err)
		}
	})
}

// hasLongName reports whether a name of a rule takes more bytes in V8's memory than may be compared: a byte for each
// character if all are Latin-1, else two for each unit of UTF-16.
func hasLongName(r Rule) bool {
	names := []string{r.Store}
	for _, step := range r.Path {
		names = append(names, step.Name)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		width := 1
		if strings.ContainsFunc(name, func(c rune) bool { return c > unicode.MaxLatin1 }) {
			width = 2
		}
		return width*len(utf16.Encode([]rune(name))) > MaxNameBytes
	})
}
