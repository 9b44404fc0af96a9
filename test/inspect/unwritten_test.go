package inspect

import (
	"regexp"
	"strings"
	"testing"
)

// TestUnwritten: an error whose stack V8 has not written yet has the calls that Error.stack would have, with places.
// Of methods it does not say the class.
func TestUnwritten(t *testing.T) {
	eachHeld(t, "unwritten.js", func(t *testing.T, c heldCore) {
		want := said[string](t, c, 5)
		texts := printed(t, c.core, c.held)
		for i, h := range c.held {
			compareStacks(t, want[i], texts[h.Address])
		}
	})
}

// atLine is a line of a stack: how it was called, the function, and the place.
var atLine = regexp.MustCompile(`^    at ((?:async )?(?:new )?)(?:(.*) \()?(.*?)\)?$`)

func compareStacks(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(w) != len(g) || len(w) < 3 {
		t.Errorf("%s\nwant %s", got, want)
		return
	}
	for i := range w {
		a, b := atLine.FindStringSubmatch(w[i]), atLine.FindStringSubmatch(g[i])
		if a == nil || b == nil {
			if w[i] != g[i] {
				t.Errorf("%q, want %q", g[i], w[i])
			}
			continue
		}
		name, _, _ := strings.Cut(a[2], " [as ")
		own := b[2] == "" || name == b[2] || strings.HasSuffix(name, "."+b[2])
		inside := strings.HasPrefix(b[3], "node:") // functions of Node.js have names that V8 makes of their classes
		if a[1] != b[1] || a[3] != b[3] || !own && !inside {
			t.Errorf("%q, want %q", g[i], w[i])
		}
		if b[2] == "" && name != "" && !inside && !strings.HasSuffix(name, "<anonymous>") {
			t.Errorf("%q, want the name in %q", g[i], w[i])
		}
	}
}
