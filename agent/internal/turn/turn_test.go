package turn

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var limits = Limits{Large: 100, One: 50, Passed: 20, AllPassed: 30}

// TestTurns: one file at a time has a turn, beside a large one. It waits neither for one that is slow nor forever.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, began := New(limits), time.Now()
		first, large := all.Begin(1), all.Begin(101)
		if time.Since(began) != 0 || first.Take(50) != nil {
			t.Fatal("a large file waits for a small one")
		}
		time.AfterFunc(time.Second, first.End)
		second := all.Begin(100)
		if time.Since(began) != time.Second {
			t.Errorf("the second file waited for %v", time.Since(began))
		}
		time.AfterFunc(time.Second, second.Pass)
		third := all.Begin(1)
		if time.Since(began) != 2*time.Second || !errors.Is(second.Take(21), ErrTooMuch) || third.Take(21) != nil {
			t.Errorf("the third file waited for %v, or what may be read is wrong", time.Since(began))
		}
		second.End()
		fourth := all.Begin(1)
		if time.Since(began) != 2*time.Second+Longest || !errors.Is(fourth.Take(21), ErrTooMuch) {
			t.Errorf("the fourth file waited for %v, or may be read like one with a turn", time.Since(began))
		}
		all.Without().End()
		fourth.End()
		if len(all.usual) != 1 {
			t.Error("a file without a turn has ended that of another")
		}
		third.End()
		third.End()
		large.End()
		if len(all.usual) != 0 || len(all.large) != 0 || all.passed != 0 {
			t.Error("a turn does not end")
		}
	})
}

// TestBudget: files without a turn have a budget together, also for what was read before they passed it on.
func TestBudget(t *testing.T) {
	all := New(limits)
	first := all.Begin(1)
	first.Take(20)
	first.Pass()
	first.Pass()
	second := all.Without()
	if second.Take(10) != nil || !errors.Is(second.Take(1), ErrTooMuch) || !errors.Is(first.Take(1), ErrTooMuch) {
		t.Errorf("%d bytes are read at a time", all.passed)
	}
	third := all.Begin(1)
	if third.Take(50) != nil || !errors.Is(third.Take(1), ErrTooMuch) {
		t.Error("a file with a turn has the budget of the slow ones")
	}
	first.End()
	if second.Take(10) != nil || all.passed != 20 {
		t.Errorf("what a file has read that has ended counts: %d bytes", all.passed)
	}
	second.End()
	second.Pass()
	third.Pass() // it has read more than it may now
	if all.passed != 50 || !errors.Is(third.Take(1), ErrTooMuch) {
		t.Errorf("%d bytes", all.passed)
	}
	third.End()
	var none *Turn
	none.Pass()
	none.End()
	if none.Take(1<<40) != nil {
		t.Error("what has no turn is not bounded")
	}
}
