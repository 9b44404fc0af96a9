package agent

import (
	"testing"
	"time"
)

// TestWatched: what idle processes cost does not grow with their number: maintain looks only at those that have
// something to do.
func TestWatched(t *testing.T) {
	a, of := attachedToIdle(t)
	idle := func(after string) {
		t.Helper()
		if len(a.watched) != 1 || a.nextMaintenance().IsZero() {
			t.Errorf("%s: %d processes are watched, and nothing is to do", after, len(a.watched))
		}
		for deadline := time.Now().Add(time.Minute); len(a.watched) > 0; time.Sleep(time.Millisecond) {
			if a.maintain(); time.Now().After(deadline) {
				t.Fatalf("%s: it is watched for ever", after)
			}
		}
		if next := a.nextMaintenance(); !next.IsZero() {
			t.Errorf("%s: idle, and something is to do at %v", after, next)
		}
	}
	idle("when it was attached")
	a.republish(of)
	idle("when its mappings were told")
	for range 2 {
		a.watch(of)
	}
	if a.maintain(); len(a.watched) > 0 {
		t.Error("after a sample: it is watched")
	}
	a.republish(of)
	delete(a.targets, of.PID)
	if a.maintain(); len(a.watched) > 0 {
		t.Error("one that has ended is watched")
	}
	a.targets[of.PID] = of
}
