package inspect

import (
	"encoding/json"
	"fmt"
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
	got, reads := inFlightOf(t, p.PID)
	t.Logf("%d requests, with %d reads or so", len(got.Requests), reads)
	if len(got.Requests) != 1000 {
		t.Errorf("%d requests, want 1000", len(got.Requests))
	}
	if reads > 150_000 { // word by word they are a million
		t.Errorf("%d reads of memory", reads)
	}
}

// TestManyIsolates: to find what each isolate has of the heap takes few reads, and so does seeing that it is the same
// afterwards.
func TestManyIsolates(t *testing.T) {
	list := versions()
	p := live.Start(t, list[len(list)-1].Version, "testdata/isolates.js")
	defer syscall.Kill(p.PID, syscall.SIGKILL)
	got, reads := inFlightOf(t, p.PID)
	timers := 0
	for _, q := range got.Requests {
		timers += len(q.Waits)
	}
	t.Logf("%d timers of requests, with %d reads or so", timers, reads)
	if timers != 1000 {
		t.Errorf("%d timers of requests, want 1000", timers)
	}
	if reads > 110_000 { // where pages are looked for one by one, and again after each walk, they are 150,000
		t.Errorf("%d reads of memory", reads)
	}
}

// TestOneInstant: the times of all timers are those of one instant, though a heap is read for some time.
func TestOneInstant(t *testing.T) {
	list := versions()
	p := live.Start(t, list[len(list)-1].Version, "testdata/instant.js")
	defer syscall.Kill(p.PID, syscall.SIGKILL)
	got, _ := inFlightOf(t, p.PID)
	instants := map[float64]int{}
	for _, q := range got.Requests {
		var start float64
		if _, err := fmt.Sscanf(q.Stores[0].Text, "{ start: %g", &start); err != nil || len(q.Waits) != 1 {
			t.Fatalf("%v: %+v", err, q)
		}
		instants[start+q.Waits[0].SinceMS]++
	}
	if len(got.Requests) != 10 || len(instants) != 1 {
		t.Errorf("%d requests, want 10, and one instant: %v", len(got.Requests), instants)
	}
}

// inFlightOf are the requests of a process, once all of its heap can be read, and about how many reads of its memory
// these took: each waits for another thread.
func inFlightOf(t *testing.T, pid int) (out inFlight, reads int64) {
	t.Helper()
	const tries = 20 // the collector has work for a moment after so many objects were made
	for range tries {
		cmd := exec.Command(hotspan, "inspect", "--json", "-p", strconv.Itoa(pid), "requests")
		text, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		out = inFlight{}
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		reads = cmd.ProcessState.SysUsage().(*syscall.Rusage).Nvcsw
		if out.NotReadBytes == 0 {
			break
		}
		t.Logf("%d bytes of the heap could not be read", out.NotReadBytes)
	}
	return out, reads
}
