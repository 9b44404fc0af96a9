package share

import "testing"

// TestShares: whoever wants all gets a part of what others leave, so that those who come later get some too, and what
// is given back can be taken again.
func TestShares(t *testing.T) {
	s := New[string](64, 0.25)
	takeAll := func(who string) (n int) {
		for s.Take(who, 1) {
			n++
		}
		return n
	}
	for _, c := range []struct {
		who  string
		want int
	}{{"a", 16}, {"b", 12}, {"c", 9}, {"d", 6}, {"a", 0}} {
		if got := takeAll(c.who); got != c.want {
			t.Errorf("%s takes %d, want %d", c.who, got, c.want)
		}
	}
	for who := range 64 {
		takeAll(string(rune('A' + who)))
	}
	if s.All() != 64 || s.Take("z", 1) {
		t.Errorf("%d are taken, want 64 and no more", s.All())
	}
	if s.Give("b", 12); s.Take("b", 13) || s.Take("z", 4) || !s.Take("z", 3) || len(s.of) == 0 {
		t.Error("of 12 that are left one gets a quarter")
	}
	if s.SetMost(s.All()); s.Take("z", 1) {
		t.Error("there is no more, but one is taken")
	}
	s.SetMost(64)
	for who, n := range s.of {
		s.Give(who, n)
	}
	if s.All() != 0 || len(s.of) != 0 || takeAll("a") != 16 {
		t.Errorf("afterwards %d are taken, %v", s.All(), s.of)
	}
}
