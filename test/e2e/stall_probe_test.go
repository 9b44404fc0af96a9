package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestStallProbe: of each turn that held the loop up for 50 ms, on a CPU or in a wait, there is one hit, in its place
// and for its request, once it has lasted so long; of none that took less there is any.
func TestStallProbe(t *testing.T) {
	t.Setenv("WAITS", "1")
	const rate, period = 499, int64(time.Second) / 499
	runNodes(t, withTurns(), func(t *testing.T, _ nodes.Version, node string) {
		c, file := startNode(t, node, "../programs/stalls.js")
		began := time.Now()
		out := filepath.Join(t.TempDir(), "out.jsonl")
		result := run(t, "record", "-p", strconv.Itoa(c.Process.Pid), "-F", strconv.Itoa(rate), "-d", "9s", "-o", out,
			"--probe", "stall", "--label", "http.route=route")
		ended := time.Now()
		t.Logf("%s", result.Stderr)
		turns, samples := turnsOf(t, file), readSamples(t, out)
		if say := fmt.Sprintf("stall: %d hits\n", len(samples)); !strings.Contains(result.Stderr, say) {
			t.Errorf("want %q", say)
		}
		checkSumOfStalls(t, result.Stderr, len(samples))
		samples = withRoutes(t, samples, unlabelledOf(result.Stderr))
		compareHitsOfStalls(t, turns, samples, began, ended, period)
	})
}

// withRoutes gives those hits any route that have none, at most as many as hotspan has said: else they are wrong.
func withRoutes(t *testing.T, samples []judge.Sample, said int) []judge.Sample {
	t.Helper()
	missing := 0
	for _, s := range samples {
		if _, ok := s.Labels["http.route"]; !ok && missing < said {
			s.Labels["http.route"] = anyRoute
			missing++
		}
	}
	t.Logf("%d hits have no route, %d samples lack labels", missing, said)
	return samples
}

const anyRoute = "*"

var sumOfStalls = regexp.MustCompile(
	`(\d+) samples and waits in .* = (\d+) written \+ (\d+) idle \+ (\d+) that are no hit \+ (\d+) lost`)

// checkSumOfStalls checks that each sample was written, or is counted as what it was instead.
func checkSumOfStalls(t *testing.T, said string, written int) {
	t.Helper()
	m := sumOfStalls.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no sum in %s", said)
	}
	var n [5]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1])
	}
	if n[0] != n[1]+n[2]+n[3]+n[4] || n[1] != written || n[3] == 0 {
		t.Errorf("%d samples are not %v, %d are in the file", n[0], n[1:], written)
	}
}

// clocks is how far the clock of the program, read as a number of milliseconds, may be from that of hotspan.
const clocks = int64(200 * time.Microsecond)

// compareHitsOfStalls compares the hits of a recording that hotspan began and ended between two times with turns.
func compareHitsOfStalls(
	t *testing.T, turns []heldUp, samples []judge.Sample, began, ended time.Time, period int64,
) {
	t.Helper()
	first, last := began.Add(2*time.Second).UnixNano(), ended.Add(-time.Second).UnixNano()
	var wrong []string
	found, waits := 0, 0
	of := make([]int, len(samples)) // turns
	for _, turn := range turns {
		hits := 0
		for i, s := range samples {
			if main := s.PID == s.TID; main != (turn.Thread == 0) || !turn.during(s.T) {
				continue
			}
			hits++
			of[i]++
			early := s.T < turn.Began-turn.Around+report.LeastStall-clocks
			if early || !turn.hitBy(&s) {
				wrong = append(wrong, fmt.Sprintf("%s, which begins %v earlier: hit after %v: %v %v",
					turn.What, time.Duration(turn.Around), time.Duration(s.T-turn.Began), s.Labels, s.Stack))
			}
		}
		whole := turn.Began > first && turn.Began+turn.Length < last
		long := turn.What == "waitHere" || turn.least(period) >= report.LeastStall
		if hits > 1 || whole && long && hits == 0 {
			wrong = append(wrong, fmt.Sprintf("%d hits of %s, %v long", hits, turn.What, time.Duration(turn.Length)))
		}
		if whole && long {
			found++
		}
		if turn.What == "waitHere" {
			waits += hits
		}
	}
	for i, s := range samples {
		if of[i] == 0 && s.T < last {
			wrong = append(wrong, fmt.Sprintf("of no turn: %v %v", s.Labels, s.Stack))
		}
	}
	t.Logf("%d hits, %d of %d turns are long, %d hits of waits, %d wrong", len(samples), found, len(turns), waits,
		len(wrong))
	tell(t, wrong)
	if len(wrong) > 0 || found < 10 || waits < 3 {
		t.Error("hits are wrong, or there are too few")
	}
}

// TestStallProbeUnknown: where libuv does not count turns, hotspan says that it knows no stalls.
func TestStallProbeUnknown(t *testing.T) {
	old := slices.DeleteFunc(nodes.Versions(), func(v nodes.Version) bool { return v.Major() != 18 })
	runNodes(t, old[:1], func(t *testing.T, _ nodes.Version, node string) {
		c, _ := startNode(t, node, "../programs/stalls.js")
		result := run(t, "record", "-p", strconv.Itoa(c.Process.Pid), "-d", "4s", "--probe", "stall", "-o",
			filepath.Join(t.TempDir(), "out.pb.gz"))
		for _, want := range []string{"it has no stalls", "\nstall: 0 hits\n", ": no probe was hit"} {
			if !strings.Contains(result.Stderr, want) {
				t.Errorf("want %q in %s", want, result.Stderr)
			}
		}
	})
}

// during reports whether a time is in the turn.
func (h *heldUp) during(at int64) bool {
	return h.Began <= at && at <= h.Began+h.Length+h.Around
}

// hitBy reports whether a hit has the place and the route of a turn.
func (h *heldUp) hitBy(s *judge.Sample) bool {
	calls := func(name string) bool {
		return slices.ContainsFunc(s.Stack, func(f judge.Frame) bool { return f.F == name })
	}
	route := func(name string) bool { return s.Labels["http.route"] == name || s.Labels["http.route"] == anyRoute }
	switch h.What {
	case "warming", "other":
		return true
	case "callbacks":
		between := !calls("firstShort") && !calls("secondShort") // Node's own work
		return between || calls("firstShort") && route("/odd") || calls("secondShort") && route("/even")
	}
	return route(h.Route) && calls(h.What)
}
