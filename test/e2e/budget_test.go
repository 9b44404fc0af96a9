package e2e

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/draw"
)

// TestCPUBudget: with a tiny budget the rate falls, and the period of the snapshots with it: the weights of all samples
// still add up to the CPU time that the process took.
func TestCPUBudget(t *testing.T) {
	draw.Quarter(t, seldom)
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, []string{"ROLE=budget"})
	a := startAgent(t, "--env", "ROLE=budget", "--rate", "999", "--period", "500ms", "--cpu-percent", "0.2", "-v")
	time.Sleep(time.Second)
	before, from := cpuOf(t, p.PID), time.Now().UnixNano()
	a.waitFor(t, "the rate is changed to keep within the limits, from 999", 1)
	time.Sleep(6 * time.Second)
	after, to := cpuOf(t, p.PID), time.Now().UnixNano()
	time.Sleep(time.Second)
	all := a.stop(t)
	said, written, lost := taken(t, a.log.String())
	if rows := checkIntervals(t, all, time.Second, 0); said != written+lost || rows != written {
		t.Errorf("%d taken, %d written, %d lost, %d in the store", said, written, lost, rows)
	}
	first, last := all[0].Period, all[len(all)-1].Period
	if first != int64(time.Second)/999 || last < 2*first {
		t.Errorf("a sample has %v first and %v at the end", time.Duration(first), time.Duration(last))
	}
	if got, want := weight(all, from, to), after-before; got < want*85/100 || got > want*115/100 {
		t.Errorf("samples of %v in %v of CPU time", got, want)
	} else {
		t.Logf("samples of %v in %v of CPU time, at first %v each, then %v", got, want, time.Duration(first),
			time.Duration(last))
	}
}

// TestMemoryLimit: with less memory than it needs the agent keeps less and goes on, and accounts for each sample.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	start(t, node24(t), "functions.js", []string{"--expose-gc"}, []string{"ROLE=memory"})
	a := startAgent(t, "--env", "ROLE=memory", "--rate", "499", "--period", "500ms", "--cpu-percent", "0",
		"--memory-mib", "32", "--no-cache")
	a.waitFor(t, "memory is short, less is kept", 4)
	a.waitFor(t, "the rate is changed to keep within the limits", 2)
	time.Sleep(2 * time.Second)
	all := a.stop(t)
	said, written, lost := taken(t, a.log.String())
	if rows := checkIntervals(t, all, 2*time.Second, 0); said != written+lost || rows != written || lost > 0 {
		t.Errorf("%d taken, %d written, %d lost, %d in the store", said, written, lost, rows)
	}
	if last := all[len(all)-1].Period; last <= all[0].Period {
		t.Errorf("the last samples have %v each", time.Duration(last))
	}
}

// weight adds up what the samples in an interval stand for.
func weight(all []*pprofx.Snapshot, from, to int64) (sum time.Duration) {
	for _, s := range all {
		for _, r := range s.Rows {
			if r.Time >= from && r.Time < to {
				sum += time.Duration(s.Period)
			}
		}
	}
	return sum
}

// cpuOf returns the CPU time of a process: utime and stime of /proc/PID/stat, in hundredths of a second.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
