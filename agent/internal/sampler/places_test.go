package sampler

import (
	"errors"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestPlaces: one user's processes never have all places, so another's has one that starts later. Who was refused gets
// one when there is room.
func TestPlaces(t *testing.T) {
	const one, other = procs.User(1), procs.User(2)
	p := newPlaces(1024)
	p.userOf = func(pid int) procs.User {
		if pid < 10000 {
			return one
		}
		return other
	}
	has := 0
	for pid := 1; pid <= 2000; pid++ {
		_, err := p.take(pid)
		switch {
		case err == nil:
			has++
		case !errors.Is(err, ErrNoPlace), errors.Is(err, ErrNoPlaceAgain) != (pid > has+1):
			t.Fatalf("process %d: %v", pid, err)
		}
	}
	if has != 768 {
		t.Errorf("one user has %d of 1024 places", has)
	}
	if _, err := p.take(10000); err != nil {
		t.Error(err)
	}
	if p.freed() {
		t.Error("there is a place for who was refused, where nothing has changed")
	}
	if had, err := p.take(1); !had || err != nil {
		t.Errorf("a process that has a place gets another: %v, %v", had, err)
	}
	p.give(1)
	p.give(2)
	p.give(3)
	if !p.freed() || p.freed() {
		t.Error("who was refused is not told once of a place")
	}
	if _, err := p.take(2000); err != nil {
		t.Error(err)
	}
}
