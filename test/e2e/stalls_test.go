package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
)

// heldUp is a turn of an event loop that a program has written down. Times are in nanoseconds.
type heldUp struct {
	What, Route string
	Thread      int
	Began       int64
	Length      int64 // of the callback
	Worked      int64 // of Length: until the function What ended
	Gaps        []gap // in which the thread was not on a CPU
	Around      int64 // of the turn before and after, by libuv
}

// gap is between two Unix times.
type gap struct{ From, To int64 }

// least is how long the turn is at least between two samples: CPUs are sampled each period, whatever they run then.
func (h *heldUp) least(period int64) int64 {
	latest, earliest := h.Began, h.Began+h.Length
	missed := func(at int64) bool {
		return slices.ContainsFunc(h.Gaps, func(g gap) bool { return g.From <= at && at <= g.To })
	}
	for phase := int64(1); phase <= 100; phase++ {
		first, last := h.Began+phase*period/100, h.Began+h.Length-phase*period/100
		for ; missed(first); first += period {
		}
		for ; missed(last); last -= period {
		}
		latest, earliest = max(latest, first), min(earliest, last)
	}
	return earliest - latest
}

// longWait is how long a turn waits that does, as programs/stalls.js says.
const longWait = int64(150 * time.Millisecond)

// leastLength is how long a stall of the turn is at least: of --wall it has the whole wait.
func (h *heldUp) leastLength(period int64) int64 {
	if h.What == "waitHere" {
		return max(h.least(period), longWait-clocks)
	}
	return h.least(period)
}

// reported is a part of report.Report.
type reported struct {
	Start, End int64
	Loops      int
	Stalls     []report.Stall
}

// whole reports whether a turn was recorded from its begin to its end, by when it was known that there is a loop.
func (r *reported) whole(h heldUp) bool {
	return h.Began > r.Start+int64(2*time.Second) && h.Began+h.Length < r.End-int64(100*time.Millisecond)
}

// TestStalls: each turn is found that held the loop up for 50 ms between the samples that it had at least, with its
// place, request and length; and none that took less than 50 ms less two periods.
func TestStalls(t *testing.T) {
	draw.Quarter(t, seldom)
	for _, rate := range []int{99, 999} {
		t.Run(strconv.Itoa(rate), func(t *testing.T) {
			runNodes(t, withTurns(), func(t *testing.T, _ nodes.Version, node string) {
				const enough = 10
				found := 0
				untilEnough(t, func(times int) bool {
					r, want := recordStalls(t, node, "stalls.js", 2, rate, times)
					found = compareStalls(t, r, want, int64(time.Second)/int64(rate))
					return found >= enough
				})
				if found < enough {
					t.Errorf("only %d turns are stalls, want %d", found, enough)
				}
			})
		})
	}
}

// TestStallsOfWaits: with --wall, turns that wait are found too, with the whole wait.
func TestStallsOfWaits(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Setenv("WAITS", "1")
	runNodes(t, withTurns(), func(t *testing.T, _ nodes.Version, node string) {
		const period, enough = int64(time.Second) / 499, 3
		waits := 0
		untilEnough(t, func(times int) bool {
			r, turns := recordStalls(t, node, "stalls.js", 2, int(int64(time.Second)/period), times, "--wall")
			compareStalls(t, r, turns, period)
			waits = 0
			for _, s := range r.Stalls {
				if s.Off >= longWait-clocks && isOf(s, heldUp{What: "waitHere", Route: "/blocked"}, period) {
					waits++
				}
			}
			return waits >= enough
		})
		if waits < enough {
			t.Errorf("only %d turns that wait are stalls, want %d", waits, enough)
		}
	})
}

// TestBriefTurns: the wait of an event loop is no stall, though libuv counts it to the turn that follows.
func TestBriefTurns(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	runNodes(t, withTurns(), func(t *testing.T, _ nodes.Version, node string) {
		const threads = 8
		r, turns := recordStalls(t, node, "brief.js", threads, 999, 1)
		if r.Loops != threads {
			t.Errorf("the loops of %d threads are known, want %d", r.Loops, threads)
		}
		long := slices.DeleteFunc(turns, func(h heldUp) bool { return h.Length < int64(40*time.Millisecond) })
		for _, s := range r.Stalls {
			if !slices.ContainsFunc(long, func(h heldUp) bool {
				return s.Start < h.Began+h.Length && s.Start+s.Length > h.Began
			}) {
				t.Errorf("no turn is %+v", s)
			}
		}
		t.Logf("%d stalls, %d turns of 40 ms", len(r.Stalls), len(long))
	})
}

// withTurns returns the Nodes whose libuv counts turns, see package uvloop.
func withTurns() []nodes.Version {
	list := slices.DeleteFunc(nodes.Thorough(), func(v nodes.Version) bool { return v.Major() < 20 })
	if !*all {
		list = list[len(list)-1:]
	}
	return list
}

// recordStalls returns what report says of a recording of a program, of eight seconds or so many times as long, and the
// turns that the threads of the program have written down.
func recordStalls(
	t *testing.T, node, program string, threads, rate, times int, more ...string,
) (r reported, turns []heldUp) {
	t.Helper()
	c, said := startNode(t, "taskset", append(onOneCPU(t), node, "../programs/"+program)...)
	recording := filepath.Join(t.TempDir(), "out.otlp")
	result := run(t, append([]string{"record", "-p", strconv.Itoa(c.Process.Pid), "-F", strconv.Itoa(rate), "-d",
		(time.Duration(times) * 8 * time.Second).String(), "-o", recording, "--label", "http.route=route"}, more...)...)
	t.Logf("%s", result.Stderr)
	printed, err := exec.Command(hotspan, "report", "--json", recording).Output()
	if err != nil || json.Unmarshal(printed, &r) != nil {
		t.Fatalf("%v: %.500s", err, printed)
	}
	return r, turnsOf(t, said, threads)
}

// onOneCPU returns arguments for taskset(1) by which a program stays on one CPU: where others keep CPUs busy, it may go
// from one to the other whenever that is about to be sampled, and not be sampled at all.
func onOneCPU(t *testing.T) []string {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !set.IsSet(cpu) {
		cpu++
	}
	return []string{"-c", strconv.Itoa(cpu)}
}

// turnsOf returns all turns until now of a program that writes them down in a file. Each thread does so after a turn,
// so it waits until each has written one that begins later.
func turnsOf(t *testing.T, file string, threads int) (turns []heldUp) {
	t.Helper()
	now, later := time.Now().UnixNano(), map[int]bool{}
	until(t, func() bool {
		turns = writtenTurns(t, file)
		for _, h := range turns {
			if h.Began > now {
				later[h.Thread] = true
			}
		}
		return len(later) == threads
	}, func() string { return fmt.Sprintf("of %d threads %d have written a turn", threads, len(later)) })
	return turns
}

// writtenTurns returns the turns that are in a file.
func writtenTurns(t *testing.T, file string) (turns []heldUp) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var h heldUp
		if err := json.Unmarshal([]byte(line), &h); err != nil {
			break // not written to its end
		}
		turns = append(turns, h)
	}
	return turns
}

// firstOf is when the first turn of the main thread, or of the other one, began that is written down. What the thread
// does before, such as to load the program, may hold its loop up as well.
func firstOf(turns []heldUp, main bool) int64 {
	first := int64(math.MaxInt64)
	for _, t := range turns {
		if main == (t.Thread == 0) {
			first = min(first, t.Began)
		}
	}
	return first
}

// compareStalls compares stalls with turns, and returns how many of these are stalls.
func compareStalls(t *testing.T, r reported, turns []heldUp, period int64) (found int) {
	t.Helper()
	if r.Loops != 2 {
		t.Errorf("the loops of %d threads are known, want 2", r.Loops)
	}
	around, wrong := int64(0), []string{}
	matched := map[int64]bool{}
	for _, turn := range turns {
		i := slices.IndexFunc(r.Stalls, func(s report.Stall) bool {
			main := s.PID == s.TID
			overlap := s.Start < turn.Began+turn.Length && s.Start+s.Length > turn.Began+period
			return main == (turn.Thread == 0) && overlap
		})
		if i < 0 {
			if r.whole(turn) && turn.leastLength(period) >= report.LeastStall {
				turn.Gaps = nil // there are many
				wrong = append(wrong, fmt.Sprintf("not found: %+v", turn))
			}
			continue
		}
		s := r.Stalls[i]
		matched[s.Start] = true
		if !r.whole(turn) {
			continue
		}
		found++
		around = max(around, turn.Around)
		switch {
		case turn.Length+turn.Around < report.LeastStall-2*period:
			wrong = append(wrong, fmt.Sprintf("%+v is a stall: %+v", turn, s))
		case s.Length > turn.Length+turn.Around+2*period || s.Length < turn.leastLength(period):
			wrong = append(wrong, fmt.Sprintf("%+v has length %+v", turn, s))
		case !isOf(s, turn, period):
			wrong = append(wrong, fmt.Sprintf("%+v: %+v %+v %+v", turn, s.Requests, s.Path, s.Calls))
		}
	}
	for _, s := range r.Stalls {
		if !matched[s.Start] && s.Start > firstOf(turns, s.PID == s.TID) {
			wrong = append(wrong, fmt.Sprintf("no turn is %+v", s))
		}
	}
	t.Logf("%d of %d turns are stalls, of which %d are wrong; before and after the callback at most %v",
		found, len(turns), len(wrong), time.Duration(around))
	tell(t, wrong)
	if len(wrong) > 0 {
		t.Error("stalls are wrong")
	}
	return found
}

// hasFew reports whether a stall has less than ten samples. With --wall they are counted in nanoseconds.
func hasFew(s report.Stall, period int64) bool {
	return s.Samples < 10 || s.Samples >= period && s.Samples < 10*period
}

// isOf reports whether a stall names the functions and the routes of a turn.
func isOf(s report.Stall, turn heldUp, period int64) bool {
	in := func(all []report.Place, name string) bool {
		return slices.ContainsFunc(all, func(p report.Place) bool { return p.Name == name })
	}
	route := func(name string) bool {
		return slices.ContainsFunc(s.Requests, func(r report.Request) bool { return r.Route == name })
	}
	switch turn.What {
	case "warming", "other":
		return true
	case "callbacks":
		// By chance, of few samples: then Path has its function. Or they are all of one.
		one := 4*s.Requests[0].Samples >= 3*s.Samples
		all := hasFew(s, period) && (route("/odd") || route("/even"))
		return (all || route("/odd") && route("/even")) &&
			(one || in(s.Calls, "firstShort") && in(s.Calls, "secondShort"))
	}
	few := hasFew(s, period) && len(s.Calls) > 0 && s.Calls[0].Name == turn.What // likewise: it has most of them
	return s.Requests[0].Route == turn.Route && (few || in(s.Path, turn.What))
}
