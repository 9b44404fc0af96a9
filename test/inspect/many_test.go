package inspect

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestManyShapes: what many hidden classes and requests refer to is read in pages, not word by word: each read of a
// process that runs takes a system call of another thread. Addresses that are only reserved are not read.
func TestManyShapes(t *testing.T) {
	list := versions()
	p := live.Start(t, list[len(list)-1].Version, "testdata/many.js")
	defer syscall.Kill(p.PID, syscall.SIGKILL)
	cmd := exec.Command(hotspan, "inspect", "--json", "-p", strconv.Itoa(p.PID), "requests")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got inFlight
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	reads := cmd.ProcessState.SysUsage().(*syscall.Rusage).Nvcsw // each read of memory waits for another thread
	t.Logf("%d requests, with %d reads or so", len(got.Requests), reads)
	if len(got.Requests) != 1000 {
		t.Errorf("%d requests, want 1000", len(got.Requests))
	}
	if reads > 150_000 { // word by word they are a million
		t.Errorf("%d reads of memory", reads)
	}
}
