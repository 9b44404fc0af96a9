package e2e

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// TestDump: the verb prints what agent/internal/dump reads, here of a program that computes in requests: what a stack
// and its labels say is of one instant.
func TestDump(t *testing.T) {
	t.Parallel()
	list := nodes.Versions()
	for _, v := range []nodes.Version{list[0], list[len(list)-1]} {
		t.Run(v.Version, func(t *testing.T) {
			node, err := nodes.Path(v.Version)
			if err != nil {
				t.Fatal(err)
			}
			p := start(t, node, "shares.js", nil, nil)
			inRequest := 0
			for range 8 {
				inRequest += dumpedRequests(t, p.PID)
				time.Sleep(50 * time.Millisecond)
			}
			if inRequest < 2 {
				t.Errorf("%d of 8 dumps show the main thread in a request, want 2", inRequest)
			}
		})
	}
}

// dumpedRequests takes a dump, and returns 1 if the main thread is in a request. Then it has the label.
func dumpedRequests(t *testing.T, pid int) int {
	t.Helper()
	out, err := exec.Command(hotspan, "dump", "-p", strconv.Itoa(pid), "--label", "endpoint=endpoint",
		"--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Threads []struct {
			TID    int
			Caught bool
			Stop   string
			State  string
			Labels map[string]any
			Stack  []struct{ F, File, Tier string }
		}
	}
	if err := json.Unmarshal(out, &d); err != nil || len(d.Threads) < 4 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, th := range d.Threads {
		if !th.Caught || th.Stop != "root" {
			t.Errorf("thread %d: caught %v, %s", th.TID, th.Caught, th.Stop)
		}
	}
	main := d.Threads[0]
	for _, f := range main.Stack {
		if f.F == "burn" {
			if main.Labels["endpoint"] == nil && main.State != "gc" || f.Tier == "" {
				t.Errorf("in burn, which is %s, with the labels %v and the state %s", f.Tier, main.Labels, main.State)
			}
			return 1
		}
	}
	return 0
}
