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
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// TestStallProbe: of each turn that held the loop up for 50 ms, on a CPU or in a wait, there is one hit, in its place
// and for its request, once it has lasted so long; of none that took less there is any.
func TestStallProbe(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Setenv("WAITS", "1")
	const rate, period = 499, int64(time.Second) / 499
	runNodes(t, withTurns(), func(t *testing.T, _ nodes.Version, node string) {
		const enough, enoughWaits = 10, 3
		found, waits := 0, 0
		untilEnough(t, func(times int) bool {
			p, file := startNode(t, node, "../programs/stalls.js")
			began := time.Now()
			out := filepath.Join(t.TempDir(), "out.jsonl")
			length := time.Duration(times) * 9 * time.Second
			result := run(t, "record", "-p", strconv.Itoa(p.Process.Pid), "-F", strconv.Itoa(rate), "-d",
				length.String(), "-o", out, "--probe", "stall", "--label", "http.route=route", "-v")
			t.Logf("%s", result.Stderr)
			turns, samples := turnsOf(t, file, 2), readSamples(t, out)
			if say := fmt.Sprintf("stall: %d hits\n", len(samples)); !strings.Contains(result.Stderr, say) {
				t.Errorf("want %q", say)
			}
			c := hitsOfStalls{
				period: period, samples: withRoutes(t, samples, unlabelledOf(result.Stderr)),
				lost: checkSumOfStalls(t, result.Stderr, len(samples)),
			}
			first := began.Add(samplingBegan(t, result.Stderr))
			c.first, c.last = first.Add(2*time.Second).UnixNano(), first.Add(length-time.Second).UnixNano()
			found, waits = c.compare(t, turns)
			return found >= enough && waits >= enoughWaits
		})
		if found < enough || waits < enoughWaits {
			t.Errorf("only %d turns are long, and %d hits of waits", found, waits)
		}
	})
}

var samplingBeganAfter = regexp.MustCompile(`sampling began after ([\d.]+m?s)`)

// samplingBegan is how long it took hotspan to begin, as it says.
func samplingBegan(t *testing.T, said string) time.Duration {
	t.Helper()
	m := samplingBeganAfter.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no sample in %s", said)
	}
	after, err := time.ParseDuration(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return after
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

// checkSumOfStalls checks that each sample was written, or is counted as what it was instead. It returns how many were
// lost.
func checkSumOfStalls(t *testing.T, said string, written int) (lost int) {
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
	return n[4]
}

// clocks is how far the clock of the program, read as a number of milliseconds, may be from that of hotspan.
const clocks = int64(200 * time.Microsecond)

// hitsOfStalls are the hits of a recording in which loops were known, and samples taken, between two Unix times.
type hitsOfStalls struct {
	first, last, period int64
	samples             []judge.Sample
	lost                int // other samples
}

// compare compares turns with hits, which are of all turns. It returns how many turns in the recording are long, and
// how many hits are of waits.
func (c *hitsOfStalls) compare(t *testing.T, turns []heldUp) (found, waits int) {
	t.Helper()
	var wrong []string
	of := make([]int, len(c.samples)) // turns
	for _, turn := range turns {
		hits, beside := 0, 0
		for i, s := range c.samples {
			switch main := s.PID == s.TID; {
			case main != (turn.Thread == 0):
			case turn.during(s.T):
				hits++
				of[i]++
				early := s.T < turn.Began-turn.Around+report.LeastStall-clocks
				if early || !turn.hitBy(&s) && !c.lostWait(turn, &s) {
					wrong = append(wrong, fmt.Sprintf("%s, which begins %v earlier: hit after %v: %v %v",
						turn.What, time.Duration(turn.Around), time.Duration(s.T-turn.Began), s.Labels, s.Stack))
				}
			case turn.beside(s.T):
				beside++
				of[i]++
			}
		}
		whole := turn.Began > c.first && turn.Began+turn.Length < c.last
		long := turn.What == "waitHere" || turn.least(c.period) >= report.LeastStall
		if hits > 1 || whole && long && hits+beside == 0 && !c.lostWait(turn, nil) {
			wrong = append(wrong, fmt.Sprintf("%d hits of %s, %v long, %v after the first", hits, turn.What,
				time.Duration(turn.Length), time.Duration(turn.Began-c.first)))
		}
		if whole && long {
			found++
		}
		if turn.What == "waitHere" {
			waits += hits
		}
	}
	for i, s := range c.samples {
		if of[i] == 0 {
			wrong = append(wrong, fmt.Sprintf("of no turn: %v %v", s.Labels, s.Stack))
		}
	}
	t.Logf("%d hits, %d of %d turns are long, %d hits of waits, %d wrong", len(c.samples), found, len(turns), waits,
		len(wrong))
	if tell(t, wrong); len(wrong) > 0 {
		t.Error("hits are wrong")
	}
	return found, waits
}

// lostWait reports whether the one sample that a turn has of its wait may be lost: hotspan has counted one more. Then a
// sample of what follows is the hit, or none is.
func (c *hitsOfStalls) lostWait(turn heldUp, hit *judge.Sample) bool {
	if turn.What != "waitHere" || c.lost == 0 || hit != nil && !turn.hitIn(hit, "blocked") {
		return false
	}
	c.lost--
	return true
}

// TestStallProbeUnknown: where libuv does not count turns, hotspan says that it knows no stalls.
func TestStallProbeUnknown(t *testing.T) {
	draw.Quarter(t, seldom)
	old := slices.DeleteFunc(nodes.Versions(), func(v nodes.Version) bool { return v.Major() != 18 })
	runNodes(t, old[:1], func(t *testing.T, _ nodes.Version, node string) {
		c, _ := startNode(t, node, "../programs/stalls.js")
		var result trial.Result
		untilEnough(t, func(times int) bool {
			result = run(t, "record", "-p", strconv.Itoa(c.Process.Pid), "-d", fmt.Sprint(4*times, "s"), "--probe",
				"stall", "-o", filepath.Join(t.TempDir(), "out.pb.gz"))
			return strings.Contains(result.Stderr, "it has no stalls") // it has looked for the loop some times
		})
		for _, want := range []string{"it has no stalls", "\nstall: 0 hits\n", ": no probe was hit"} {
			if !strings.Contains(result.Stderr, want) {
				t.Errorf("want %q in %s", want, result.Stderr)
			}
		}
	})
}

// during reports whether a time is in the callback of a turn.
func (h *heldUp) during(at int64) bool { return h.Began <= at && at <= h.Began+h.Length }

// beside reports whether a time is in what libuv and Node.js do themselves before the callback or after it: for this
// turn, for that of the callback before or after, or for one between these.
func (h *heldUp) beside(at int64) bool {
	return h.Began-h.Around <= at && at <= h.Began+h.Length+h.Around
}

// hitBy reports whether a hit has the place and the route of a turn.
func (h *heldUp) hitBy(s *judge.Sample) bool {
	switch h.What {
	case "warming", "other":
		return true
	case "callbacks":
		between := !inFunction(s, "firstShort") && !inFunction(s, "secondShort") // Node's own work
		odd := inFunction(s, "firstShort") && hasRoute(s, "/odd")
		return between || odd || inFunction(s, "secondShort") && hasRoute(s, "/even")
	}
	if s.T > h.Began+h.Worked-clocks && h.What != "waitHere" { // the callback has the name of the route
		return h.hitIn(s, strings.TrimPrefix(h.Route, "/"))
	}
	return h.hitIn(s, h.What)
}

// hitIn reports whether a hit has the route of a turn, and is in a function.
func (h *heldUp) hitIn(s *judge.Sample, function string) bool {
	return hasRoute(s, h.Route) && inFunction(s, function)
}

func inFunction(s *judge.Sample, function string) bool {
	return slices.ContainsFunc(s.Stack, func(f judge.Frame) bool { return f.F == function })
}

func hasRoute(s *judge.Sample, route string) bool {
	return s.Labels["http.route"] == route || s.Labels["http.route"] == anyRoute
}
