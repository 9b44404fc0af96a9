package heap

import (
	"testing"
	"time"
)

// TestEffort: the more often there is a rest, the longer it takes; what was long ago does not count.
func TestEffort(t *testing.T) {
	e := NewEffort(100, 10)
	if e.Add(100); e.Rests() || e.Had() {
		t.Error("it rests within the bound")
	}
	for _, want := range []time.Duration{firstRest, 2 * firstRest, 4 * firstRest} {
		if e.Add(101); !e.Rests() || !e.Had() || e.rest != want {
			t.Fatalf("it rests for %v, not %v", e.rest, want)
		}
		e.until = time.Now()
	}
	e.until, e.at = time.Now(), time.Now().Add(-time.Hour)
	if e.Add(100); e.Rests() {
		t.Error("it rests for what was long ago")
	}
	e.until = time.Now().Add(-time.Hour)
	if e.Add(101); e.rest != firstRest {
		t.Errorf("it rests for %v, though it has not for long", e.rest)
	}
	for range 10 {
		e.until = time.Now()
		e.Add(101)
	}
	if e.rest != longRest {
		t.Errorf("it rests for %v, not %v at most", e.rest, longRest)
	}
	e = Effort{}
	if e.Add(1 << 30); e.Rests() {
		t.Error("it rests without a bound")
	}
}
