package inspect

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// knownFunction is what the program says of a function.
type knownFunction struct {
	Source string
	Place  struct{ Line, Column int }
	Scopes []map[string]string
}

// TestFunctions: where functions are is as V8's inspector says, their source is what toString gives, and their closures
// have the variables that the program has.
func TestFunctions(t *testing.T) {
	t.Parallel()
	eachHeld(t, "functions.js", func(t *testing.T, c heldCore) {
		want := said[knownFunction](t, c, 10)
		checkFunctions(t, c.core, c.script, c.held, want)
		for i, h := range c.held {
			checkClosure(t, c.core, h.Address, &want[i])
		}
		checkWrongAddress(t, c.core, c.held)
	})
}

func checkFunctions(t *testing.T, core, script string, held []held, want []knownFunction) {
	t.Helper()
	addresses := []string{}
	for _, h := range held {
		addresses = append(addresses, h.Address)
	}
	var functions []struct {
		File         string
		Line, Column int
	}
	var sources []struct{ Source string }
	err := errors.Join(inspect(&functions, append([]string{core, "function"}, addresses...)...),
		inspect(&sources, append([]string{core, "source"}, addresses...)...))
	if err != nil || len(functions) != len(want) || len(sources) != len(want) {
		t.Fatalf("%v: %d functions, %d sources, want %d", err, len(functions), len(sources), len(want))
	}
	for i, f := range functions {
		if f.File != script || f.Line != want[i].Place.Line || f.Column != want[i].Place.Column {
			t.Errorf("%+v, want %+v: %s", f, want[i].Place, want[i].Source)
		}
		if sources[i].Source != want[i].Source {
			t.Errorf("%s\nwant %s", sources[i].Source, want[i].Source)
		}
	}
}

// checkWrongAddress: of several addresses those are answered that can be, and the others are said.
func checkWrongAddress(t *testing.T, core string, held []held) {
	t.Helper()
	const none = "0x10"
	for _, verb := range []string{"function", "source", "closure", "print", "refs", "path"} {
		type answer struct{ Address string }
		var answers []answer
		err := inspect(&answers, core, verb, held[0].Address, none, held[1].Address, "--depth", "0")
		first := slices.Contains(answers, answer{held[0].Address})
		last := slices.Contains(answers, answer{held[1].Address})
		if err == nil || !strings.Contains(err.Error(), none+": ") || !first || !last {
			t.Errorf("%s: %v, %+v", verb, err, answers)
		}
	}
}

func checkClosure(t *testing.T, core, address string, want *knownFunction) {
	t.Helper()
	var scopes []struct {
		Variables []struct{ Name, Text string }
		Problem   string
	}
	if err := inspect(&scopes, core, "closure", address); err != nil || len(scopes) < len(want.Scopes)+1 {
		t.Fatalf("%s: %v, %d scopes", address, err, len(scopes))
	}
	for i, s := range scopes {
		if s.Problem != "" {
			t.Errorf("%s: %s", want.Source, s.Problem)
		}
		got := map[string]string{}
		for _, v := range s.Variables {
			got[v.Name] = v.Text
		}
		if i == len(scopes)-1 { // that of the file
			if got["list"] == "" {
				t.Errorf("the file has %v", got)
			}
		} else if i < len(want.Scopes) {
			if diff := cmp.Diff(want.Scopes[i], got); diff != "" {
				t.Errorf("%s: %s", want.Source, diff)
			}
		}
	}
}
