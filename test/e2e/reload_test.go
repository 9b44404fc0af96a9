package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/draw"
)

// TestReloadSettings: on SIGHUP the agent goes on with another rate, period and selection, other rules and labels. The
// snapshots touch, each sample is in its own, the weight is that of the rate, and labels are those of the rules that
// count.
func TestReloadSettings(t *testing.T) {
	t.Parallel()
	first := start(t, node24(t), "requests.js", nil, []string{"ROLE=one"})
	other := start(t, node24(t), "functions.js", []string{"--expose-gc"}, []string{"ROLE=two"})
	config := filepath.Join(t.TempDir(), "agent.yaml")
	configure := func(text string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var a *runningAgent
	for i, step := range []struct {
		text  string
		rate  int64
		label string // that samples have by it; empty: none
		of    int    // whose samples these are
		not   int    // who is not profiled
	}{
		{"env: ROLE=one\nrate: 199\nperiod: 300ms\nlabels: custom\nlabel: ['first=endpoint']\n", 199, "first",
			first.PID, other.PID},
		{"env: ROLE=one\nrate: 499\nperiod: 300ms\nlabels: custom\nlabel: ['first=endpoint']\n", 499, "first",
			first.PID, other.PID},
		{"env: ROLE=one\nrate: 499\nperiod: 200ms\nlabels: custom\nlabel: ['second=user.tenant']\n", 499, "second",
			first.PID, other.PID},
		{"env: ROLE=.*\nrate: 97\nperiod: 200ms\nlabels: none\n", 97, "", other.PID, 0},
		{"env: ROLE=two\nrate: 97\nperiod: 500ms\nlabels: none\n", 97, "", other.PID, first.PID},
	} {
		configure(step.text)
		if a == nil {
			a = startAgent(t, "--config", config)
		} else {
			a.Process.Signal(syscall.SIGHUP)
			a.waitFor(t, "the configuration is read again", i)
		}
		from := time.Now().UnixNano()
		until(t, func() bool {
			return slices.ContainsFunc(a.snapshots(t), func(s *pprofx.Snapshot) bool {
				return s.Start > from && s.Period == int64(time.Second)/step.rate &&
					hasRow(s, step.of, step.label) && !hasRow(s, step.not, "")
			})
		}, func() string { return "a sample by " + step.text + a.log.String() })
	}
	all := a.stop(t)
	said, written, lost := taken(t, a.log.String())
	if said != written+lost || lost > said/100 {
		t.Errorf("%d taken, %d written, %d lost", said, written, lost)
	}
	// The store has no snapshot without samples: of a part of a period before a change, and of whole periods in which
	// the processes had no CPU.
	rows := checkIntervals(t, all, 300*time.Millisecond, 100*time.Millisecond)
	if rows != written {
		t.Errorf("%d samples in the store, %d written", rows, written)
	}
	periods, labels, pids := byPeriod(all)
	const second = int64(time.Second)
	if want := []int64{second / 199, second / 499, second / 97}; !slices.Equal(periods, want) {
		t.Errorf("periods %v, want %v", periods, want)
	}
	for key, want := range map[string]bool{
		fmt.Sprint(second/199, " first"): true, fmt.Sprint(second/199, " second"): false,
		fmt.Sprint(second/499, " first"): true, fmt.Sprint(second/499, " second"): true,
		fmt.Sprint(second/97, " first"): false, fmt.Sprint(second/97, " second"): false,
	} {
		if labels[key] != want {
			t.Errorf("label %s: %v", key, labels[key])
		}
	}
	end := all[len(all)-1]
	if !pids[1][int32(first.PID)] || pids[1][int32(other.PID)] || !pids[3][int32(other.PID)] ||
		slices.ContainsFunc(end.Rows, func(r pprofx.Row) bool { return r.PID == int32(first.PID) }) {
		t.Errorf("processes %v and %v: %v", first.PID, other.PID, pids)
	}
}

// hasRow reports whether a snapshot has a sample of a process with a label, if that is not empty.
func hasRow(s *pprofx.Snapshot, pid int, label string) bool {
	return slices.ContainsFunc(s.Rows, func(r pprofx.Row) bool {
		has := func(l pprofx.Label) bool { return l.Key == label }
		set := s.LabelSets[r.Labels]
		return r.PID == int32(pid) && (label == "" || slices.ContainsFunc(set, has))
	})
}

// byPeriod returns the weights of snapshots in the order in which they come, each label with the weight of a sample
// that has it, and the processes of each weight, from 1.
func byPeriod(all []*pprofx.Snapshot) (periods []int64, labels map[string]bool, pids map[int]map[int32]bool) {
	labels, pids = map[string]bool{}, map[int]map[int32]bool{}
	for _, s := range all {
		if !slices.Contains(periods, s.Period) {
			periods = append(periods, s.Period)
			pids[len(periods)] = map[int32]bool{}
		}
		for _, r := range s.Rows {
			pids[len(periods)][r.PID] = true
			for _, l := range s.LabelSets[r.Labels] {
				labels[fmt.Sprint(s.Period, " ", l.Key)] = true
			}
		}
	}
	return periods, labels, pids
}

// waitFor waits until the agent has said something so many times.
func (a *runningAgent) waitFor(t *testing.T, what string, times int) {
	t.Helper()
	a.log.await(t, what, times)
}

// checkIntervals checks that snapshots have the samples of their own intervals, and counts the samples. The intervals
// follow each other with at most so much between two, or, where empty is not 0, with a multiple of it.
func checkIntervals(t *testing.T, all []*pprofx.Snapshot, most, empty time.Duration) (rows int) {
	t.Helper()
	for i, s := range all {
		if i > 0 {
			between := time.Duration(s.Start - all[i-1].End)
			if between < 0 || between > most && (empty == 0 || between%empty != 0) {
				t.Errorf("snapshot %d begins %v after the end of the one before", i, between)
			}
		}
		for _, r := range s.Rows {
			if r.Time < s.Start || r.Time >= s.End {
				t.Errorf("a sample at %d is in the snapshot of %d to %d", r.Time, s.Start, s.End)
			}
		}
		rows += len(s.Rows)
	}
	return rows
}

// TestHangUp: a recording whose terminal is closed writes what it has.
func TestHangUp(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP) // under nohup hotspan would ignore it, as all that nohup starts
	defer signal.Stop(heard)
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	file := filepath.Join(t.TempDir(), "cpu.jsonl")
	c := exec.Command(hotspan, "record", "-p", strconv.Itoa(p.PID), "-F", "499", "-o", file, "-v")
	log := new(buffer)
	c.Stderr = log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	log.await(t, "first named sample", 1)
	c.Process.Signal(syscall.SIGHUP)
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, log)
	}
	if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID)); len(line) == 0 {
		t.Error("it went on until the process ended")
	}
	_, written, _ := taken(t, log.String())
	if n := len(readSamples(t, file)); n == 0 || n != written {
		t.Errorf("%d samples in the file, %d written", n, written)
	}
}
