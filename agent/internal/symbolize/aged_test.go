package symbolize

import "testing"

// What is used stays, however long. What is not goes after two periods, or when twice as much came as may be kept.
func TestAged(t *testing.T) {
	c := newAged[int, int](100)
	now := period + 1
	c.put(1, 1, now)
	for ; now < 10*period; now += period / 10 {
		if _, ok := c.get(1, now); !ok {
			t.Fatalf("what is used is gone after %d", now)
		}
		c.put(int(now), 1, now)
		if n := len(c.recent) + len(c.older); n > 24 {
			t.Fatalf("%d entries of two periods", n)
		}
	}
	if _, ok := c.get(int(period+1), now); ok {
		t.Error("what was used once is still there")
	}
	for i := range 1000 {
		c.put(-1-i, 1, now)
	}
	if n := len(c.recent) + len(c.older); n > 200 {
		t.Errorf("%d entries, want 200 at most", n)
	}
	if _, ok := c.get(-1000, now); !ok {
		t.Error("the last entry is gone")
	}
	if c.forget(); len(c.recent)+len(c.older) > 0 {
		t.Error("entries are left")
	}
}
