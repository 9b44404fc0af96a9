package inspect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScopes: variables that are in an object, those of with and those that eval declares, are shown, and that scopes
// are left out is said.
func TestScopes(t *testing.T) {
	t.Parallel()
	eachHeld(t, "scopes.js", func(t *testing.T, c heldCore) {
		for i, want := range said[[]map[string]string](t, c, 3) {
			var scopes []struct {
				Variables []struct{ Name, Text string }
				Problem   string
			}
			if err := inspect(&scopes, c.core, "closure", c.held[i].Address); err != nil || len(scopes) <= len(want) {
				t.Fatalf("%v: %d scopes, want more than %d", err, len(scopes), len(want))
			}
			const most = 64
			cut := strings.Contains(scopes[len(scopes)-1].Problem, "more than 64 scopes")
			if cut != (len(want) == most) {
				t.Errorf("%d scopes, the last one: %q", len(scopes), scopes[len(scopes)-1].Problem)
			}
			for j, w := range want {
				got := map[string]string{}
				for _, v := range scopes[j].Variables {
					got[v.Name] = v.Text
				}
				if diff := cmp.Diff(w, got); diff != "" {
					t.Errorf("function %d, scope %d: %s", i, j, diff)
				}
			}
		}
	})
}
