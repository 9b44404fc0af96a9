package inspect

import (
	"strings"
	"testing"
)

// TestModule: the variables of a module have their names and values, and the namespace of one is no missing value.
func TestModule(t *testing.T) {
	t.Parallel()
	eachHeld(t, "module.mjs", func(t *testing.T, c heldCore) {
		want := said[map[string]*string](t, c, 1)
		var scopes []struct {
			Variables []struct{ Name, Text string }
			Problem   string
		}
		if err := inspect(&scopes, c.core, "closure", c.held[0].Address); err != nil || len(scopes) != 1 {
			t.Fatalf("%v: %+v, want one scope", err, scopes)
		}
		found := 0
		for _, v := range scopes[0].Variables {
			switch text, ok := want[0][v.Name]; {
			case !ok:
				continue
			case text == nil && (!strings.Contains(v.Text, "<") || strings.Contains(v.Text, "not initialised") ||
				strings.Contains(v.Text, "empty")), text != nil && v.Text != *text:
				t.Errorf("%s is %s", v.Name, v.Text)
			}
			found++
		}
		if found != len(want[0]) {
			t.Errorf("%+v, want %d variables", scopes[0], len(want[0]))
		}
	})
}
