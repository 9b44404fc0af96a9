package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// stored returns the samples in the store of an agent that has ended.
func (a *runningAgent) stored(t *testing.T) []judge.Sample {
	t.Helper()
	out := filepath.Join(t.TempDir(), "store.jsonl")
	if r := run(t, "convert", a.store, out); r.Code != 0 {
		t.Fatal(r.Stderr)
	}
	return readSamples(t, out)
}

// streamed returns the samples that a subscriber of the agent gets, and how many it is said to lack.
func (a *runningAgent) streamed(t *testing.T, args ...string) (samples []judge.Sample, lost int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "stream.jsonl")
	r := run(t, append([]string{"stream", "--socket", a.socket, "-o", out}, args...)...)
	if t.Logf("stream %v: %s", args, r.Stderr); r.Code != 0 {
		t.Fatalf("exit code %d", r.Code)
	}
	return readSamples(t, out), numberIn(r.Stderr, lostByAgent)
}

const lostByAgent = `lost by the agent (\d+)`

// TestStream: a subscriber sees while they are taken the samples that the store has later, all of them and no others;
// and what an agent samples at a rate of its own for a caller is true.
func TestStream(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	a := startAgent(t, "--name", regexp.QuoteMeta(p.Log), "-F", "499", "--period", "700ms")
	live, late := a.streamed(t, "-d", "3s") // what is too late for its short snapshots may be in those of the store
	var captured []judge.Sample
	untilEnough(t, func(times int) bool {
		captured, _ = a.streamed(t, "-p", strconv.Itoa(p.PID), "-F", "1999", "-d", fmt.Sprint(5*times, "s"))
		return len(captured) > 3000
	})
	newest, _ := a.streamed(t, "--last", "1")
	a.stop(t)
	stored := a.stored(t)

	byKey := map[string]judge.Sample{}
	for _, s := range stored {
		s.Snapshot = nil // a stream has others than the store
		byKey[fmt.Sprint(s.TID, s.T)] = s
	}
	for _, s := range append(live, newest...) {
		s.Snapshot = nil
		s.Turn = byKey[fmt.Sprint(s.TID, s.T)].Turn // the shorter a snapshot, the more turns may be parts of long ones
		if diff := cmp.Diff(byKey[fmt.Sprint(s.TID, s.T)], s); diff != "" {
			t.Fatalf("a streamed sample is not that of the store: %s", diff)
		}
	}
	first, last, missing := live[0].T, live[len(live)-1].T, len(live)
	for _, s := range stored {
		if s.T >= first && s.T <= last {
			missing--
		}
	}
	if -missing > late || missing > 0 || len(live) < 200 || len(newest) < 5 { // a busy machine has few
		t.Errorf("%d samples were streamed while they were taken, %d from the store, %d are missing, %d said to be",
			len(live), len(newest), -missing, late)
	}
	v := compare(t, captured, p.truth(t))
	atLeast(t, v.Right, "leaf function right", 99, 300)
	if v.Wrong > 0 {
		t.Errorf("%d wrong functions, want none", v.Wrong)
	}
}

// TestCaptureTime: what an agent samples for a caller takes as long as that asks for, from when it samples: before, it
// reads the files of the process.
func TestCaptureTime(t *testing.T) {
	t.Parallel()
	c, said := startNode(t, node24(t), "-e", "console.log('ready'); for (;;);")
	awaitText(t, said, "ready")
	a := startAgent(t, "--name", t.Name())
	var samples []judge.Sample
	var asked time.Duration
	untilEnough(t, func(times int) bool {
		asked = time.Duration(times) * time.Second
		samples, _ = a.streamed(t, "-p", strconv.Itoa(c.Process.Pid), "-F", "199", "-d", asked.String())
		return len(samples) > 100*times // of 199: the program had a CPU for half of the time
	})
	if len(samples) < 2 {
		t.Fatalf("%d samples", len(samples))
	}
	took, longest := time.Duration(samples[len(samples)-1].T-samples[0].T), time.Duration(0)
	for i := range samples[1:] {
		longest = max(longest, time.Duration(samples[i+1].T-samples[i].T))
	}
	t.Logf("%d samples in %v, at most %v apart", len(samples), took, longest)
	// before the first one and after the last one it may have lacked a CPU as long
	if took+2*longest < asked-50*time.Millisecond || took > asked+300*time.Millisecond {
		t.Errorf("want %v", asked)
	}
}

// TestStreamTellsLosses: samples that the agent has lost meanwhile are said at the end.
func TestStreamTellsLosses(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	command(t, node24(t), "-e", "/* "+t.Name()+" */ function deep(n) { return n ? deep(n - 1) + 1 : burn() } "+
		"function burn() { const end = Date.now() + 900; while (Date.now() < end); return 0 } for (;;) deep(900)")
	a := startAgent(t, "--name", t.Name(), "-F", "4999", "--period", "700ms")
	stopped := make(chan error, 1)
	go func() {
		time.Sleep(time.Second)
		err := a.Process.Signal(syscall.SIGSTOP) // nobody reads the ring buffer
		time.Sleep(4 * time.Second)
		stopped <- errors.Join(err, a.Process.Signal(syscall.SIGCONT))
	}()
	r := run(t, "stream", "--socket", a.socket, "-d", "9s", "-o", filepath.Join(t.TempDir(), "stream.jsonl"))
	if err := <-stopped; err != nil || r.Code != 0 {
		t.Fatalf("%v, exit code %d: %s", err, r.Code, r.Stderr)
	}
	a.stop(t)
	if lost, all := numberIn(r.Stderr, lostByAgent), numberIn(a.log.String(), `(\d+) lost`); lost == 0 ||
		lost > all {
		t.Errorf("%d samples lost, of %d: %s%s", lost, all, r.Stderr, a.log)
	}
}

// numberIn returns the number that a pattern has found in a text; 0 if it has not.
func numberIn(text, pattern string) (n int) {
	if found := regexp.MustCompile(pattern).FindStringSubmatch(text); found != nil {
		n, _ = strconv.Atoi(found[1])
	}
	return n
}

// TestStreamFollows: a subscriber that follows gets the snapshots of the store, one after the other.
func TestStreamFollows(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	a := startAgent(t, "--name", regexp.QuoteMeta(p.Log), "--period", "500ms")
	got := filepath.Join(t.TempDir(), "follow.otlp")
	r := run(t, "stream", "--socket", a.socket, "--follow", "-d", "4s", "-o", got)
	snapshots := len(a.stop(t))
	stored := len(a.stored(t))
	n := 0
	if _, err := fmt.Sscanf(r.Stderr, "%d samples", &n); err != nil || r.Code != 0 {
		t.Fatalf("%q: %v", r.Stderr, err)
	}
	if info, err := os.Stat(got); err != nil || info.Size() == 0 || snapshots < 5 || n < 50 || n > stored {
		t.Errorf("%d samples of %d in %d snapshots, %v", n, stored, snapshots, err)
	}
}
