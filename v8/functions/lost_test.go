package functions

import "testing"

// TestLostReason: each reason has a text of its own, and what is not lost has none.
func TestLostReason(t *testing.T) {
	seen := map[string]bool{}
	for r := NothingLost; r <= LostCode; r++ {
		s := r.String()
		if (s == "") != (r == NothingLost) || seen[s] {
			t.Errorf("reason %d: %q", r, s)
		}
		seen[s] = true
	}
	if s := (LostCode + 1).String(); s == "" || seen[s] {
		t.Errorf("a reason that does not exist: %q", s)
	}
}
