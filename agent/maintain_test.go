package agent

import (
	"os"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestWatched: what idle processes cost does not grow with their number: maintain looks only at those that have
// something to do.
func TestWatched(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test loads BPF programs: run it as root")
	}
	pid := live.Start(t, "24.21.0", "-e", `process.stdin.on('end', process.exit).resume(); console.error('ready')`).PID
	a, err := New(Config{Select: Selection{PIDs: []int{pid}}, Rate: 99})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	of := a.targets[pid]
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
	delete(a.targets, pid)
	if a.maintain(); len(a.watched) > 0 {
		t.Error("one that has ended is watched")
	}
	a.targets[pid] = of
}
