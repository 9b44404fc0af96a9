package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// TestGapless: 999 samples a second in snapshots of 100 ms, while the receiver is killed and restarted, answers errors
// and hangs, subscribers do not read, and the agent gets SIGHUP. What is taken is in a snapshot or counted as lost,
// each sample is in the one interval that has its time, intervals touch, and the receiver has all of them; only what it
// did not acknowledge comes again, under the same ID.
func TestGapless(t *testing.T) {
	t.Parallel()
	a, to := newAgent(t), newStoring(t)
	a.rate, a.period, a.endpoint = 999, 100*time.Millisecond, "http://"+to.address
	a.name = lastArgument(t, startRequests(t, filepath.Join(t.TempDir(), "truth"), "DURATION_MS=120000").Process.Pid)
	a.socket = filepath.Join(t.TempDir(), "socket")
	a.start(t)
	a.waitFor(t, 100)
	subscribe(t, a)
	subscribe(t, a)
	subscribe(t, a, "--from", "1", "--follow")
	subscribe(t, a, "--from", "1", "--follow").Process.Signal(syscall.SIGSTOP)
	reloads := 0
	for _, does := range []behaviour{refusing, forgetting, hanging, broken, "down"} {
		if does == "down" {
			to.kill()
		} else {
			to.set(does)
		}
		time.Sleep(1500 * time.Millisecond)
		a.process.Process.Signal(syscall.SIGHUP)
		reloads++
		time.Sleep(1500 * time.Millisecond)
		to.set(acknowledging)
		if does == "down" {
			to.start(t)
		}
		time.Sleep(time.Second)
		a.process.Process.Signal(syscall.SIGHUP)
		reloads++
	}
	for end := time.Now().Add(time.Minute); len(stored(t, a.store)) < 200 && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	taken, written, lost := a.end(t)
	if said := fmt.Sprintf(": %d samples of ", written); !strings.Contains(a.log.String(), said) {
		t.Errorf("the closing line lacks %q: it counts what was delivered before a reload", said)
	}

	snapshots := stored(t, a.store)
	checkIntervals(t, snapshots, a.period)
	rows, losses := 0, int64(0)
	for _, s := range snapshots {
		rows += len(s.Rows)
		for _, n := range s.Lost {
			losses += n
		}
	}
	if len(snapshots) < 200 || taken != written+lost || rows != written || losses != int64(lost) {
		t.Errorf("%d snapshots with %d samples and %d losses; %d taken, %d written, %d lost", len(snapshots), rows,
			losses, taken, written, lost)
	}
	// The acknowledgement of a request may get lost when a reload ends it.
	to.check(t, kept(t, a.store), reloads)
	for _, does := range []behaviour{refusing, forgetting, hanging, broken} {
		if to.requests[does] == 0 {
			t.Errorf("no request while the receiver was %s", does)
		}
	}
}

// subscribe starts a subscriber whose output nobody reads.
func subscribe(t *testing.T, a *agent, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(a.binary, append([]string{"stream", "--socket", a.socket}, args...)...)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatalf("hotspan stream %v: %v", args, err)
	}
	return c
}

// stored returns the snapshots of a store, in order.
func stored(t *testing.T, store string) (all []*pprofx.Snapshot) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(store, "*.otlp"))
	slices.Sort(files)
	for _, name := range files {
		all = append(all, readStored(t, name))
	}
	return all
}

func readStored(t *testing.T, name string) *pprofx.Snapshot {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := otlp.NewReader(f).Next()
	if err != nil {
		t.Fatal(name, err)
	}
	return s
}

// checkIntervals checks that intervals touch, but for such without a sample, and have the times of their samples.
func checkIntervals(t *testing.T, all []*pprofx.Snapshot, period time.Duration) {
	t.Helper()
	empty := 0
	for i, s := range all {
		for _, r := range s.Rows {
			if r.Time < s.Start || r.Time >= s.End {
				t.Fatalf("snapshot %d: a sample of %d in [%d, %d)", i, r.Time, s.Start, s.End)
			}
		}
		if i == 0 {
			continue
		}
		gap := time.Duration(s.Start - all[i-1].End)
		if gap < 0 || gap%period != 0 {
			t.Fatalf("snapshot %d begins %v after the end of the one before", i, gap)
		}
		empty += int(gap / period)
	}
	if empty > len(all)/10 {
		t.Errorf("%d intervals without a sample beside %d with some, of a process that is busy", empty, len(all))
	}
}
