package context

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func rulesFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestReadRules(t *testing.T) {
	got, err := ReadRules(rulesFile(t, `
# what the orders team wants
labels:
  tenant: user.tenant
  "odd name": 'store["odd key"].get("x")'
  job:
    - als("job").id
    - als("task").id
`))
	if err != nil {
		t.Fatal(err)
	}
	want := rules(t, "tenant=user.tenant", `odd name=store["odd key"].get("x")`, `job=als("job").id`,
		`job=als("task").id`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadRulesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "rules.yaml: no rules",
		"# nothing\n":                       "rules.yaml: no rules",
		"- tenant: x":                       "rules.yaml:1: want labels:",
		"tenant: x":                         "rules.yaml:1: unknown key tenant: there is only labels",
		"labels: x":                         "rules.yaml:1: below labels: want NAME: PATH",
		"labels:\n  a: x\n  b: y..z":        "rules.yaml:3: label b: an empty property name",
		"labels:\n  a: x\n\n  a: y":         "rules.yaml:4: label a is in line 2 already",
		"labels:\n  a: [x, [y]]":            "rules.yaml:2: label a: want a path",
		"labels:\n  a:\n    b: x":           "rules.yaml:3: label a: want a path",
		"labels:\n  a:":                     "rules.yaml:2: label a: want a path",
		"labels:\n  a: &x y\n  b: *x":       "rules.yaml:3: label b: want a path",
		"labels:\n  a: x\n b: y":            "rules.yaml: yaml: line",
		"labels:\n\ta: x":                   "rules.yaml: yaml: line",
		"labels: {a: als(x)}":               `rules.yaml:1: label a: want als("NAME")`,
		strings.Repeat("#", maxRulesFile+1): "more than 1048576 bytes",
	} {
		got, err := ReadRules(rulesFile(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %q", text, got, err, want)
		}
	}
	if _, err := ReadRules("/nowhere/rules.yaml"); err == nil || !strings.Contains(err.Error(), "/nowhere/rules.yaml") {
		t.Error(err)
	}
}

func FuzzParseRules(f *testing.F) {
	f.Add("labels:\n  a: x.y\n  b: [x, 'y[0]']")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		got, err := parseRules([]byte(text))
		if err != nil {
			return
		}
		for _, r := range got {
			for _, s := range r.Path {
				if (s.Name == "") != (s.Kind == Element) {
					t.Fatalf("%+v", r)
				}
			}
		}
	})
}
