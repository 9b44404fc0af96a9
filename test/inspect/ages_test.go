package inspect

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// aged is what hotspan inspect prints of when requests began.
type aged struct {
	Requests []struct {
		Labels              map[string]any
		AgeMS, AgeAtLeastMS *float64
		Waits               []struct {
			By                        string
			DelayMS, SinceMS, DueInMS *float64
		}
	}
	MoreRequests int
}

// ages are what testdata/ages.js says: times of CLOCK_MONOTONIC, and of spans since 1970, in milliseconds.
type ages struct {
	Of map[string]struct{ Before, After, Span float64 } // a timer began between Before and After
	// Loop is when the event loop has read its clock last, at the least, and Ended a time after that.
	Loop, Ended float64
	// Wall is the time since 1970 less that of CLOCK_MONOTONIC, as Node.js has noted it at its start.
	Wall float64
}

// TestAges: since when timers run, when they are due, and when requests began is what the program says, by its clocks,
// within a millisecond. That is what the clocks of timers count.
func TestAges(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	script, err := filepath.Abs("testdata/ages.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions() {
		t.Run(v.Version+"/lives", func(t *testing.T) {
			dir := t.TempDir()
			p := live.Start(t, v.Version, script, dir, "wait")
			defer syscall.Kill(p.PID, syscall.SIGKILL)
			said := readAges(t, dir)
			said.Loop = milliseconds(t)
			got := agesOf(t, "-p", strconv.Itoa(p.PID))
			said.Ended = milliseconds(t)
			said.Wall = float64(time.Now().UnixNano())/float64(time.Millisecond) - said.Ended
			said.check(t, &got, true)
		})
		t.Run(v.Version+"/died", func(t *testing.T) {
			live.NeedCores(t)
			dir := t.TempDir()
			core := live.Core(t, v.Version, script, dir, "abort")
			got, said := agesOf(t, core), readAges(t, dir)
			said.check(t, &got, v.Major() >= 20)
			if most := agesOf(t, core, "-n", "3"); len(most.Requests) != 3 || t.Failed() ||
				most.MoreRequests != len(got.Requests)-3 ||
				*most.Requests[2].AgeAtLeastMS != *got.Requests[2].AgeAtLeastMS {
				t.Errorf("-n 3: %d requests, and %d more", len(most.Requests), most.MoreRequests)
			}
		})
	}
}

// milliseconds is CLOCK_MONOTONIC.
func milliseconds(t *testing.T) float64 {
	t.Helper()
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		t.Fatal(err)
	}
	return float64(at.Nano()) / float64(time.Millisecond)
}

func agesOf(t *testing.T, of ...string) (got aged) {
	t.Helper()
	if err := inspect(&got, append(of, "requests", "--label", "tenant=tenant")...); err != nil {
		t.Fatal(err)
	}
	return got
}

func readAges(t *testing.T, dir string) (said ages) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if err = errors.Join(err, json.Unmarshal(text, &said)); err != nil || len(said.Of) != 8 {
		t.Fatalf("%v: %s", err, text)
	}
	return said
}

// check compares what was found with what the program says. A process was looked at between Loop and Ended. One that
// died has the clock of each event loop as that has read it: the one of the worker some time before. spans is whether
// the age by a span must be there.
func (s *ages) check(t *testing.T, got *aged, spans bool) {
	t.Helper()
	var oldest []float64
	seen := map[string]bool{}
	for _, q := range got.Requests {
		tenant, _ := q.Labels["tenant"].(string)
		want, ok := s.Of[tenant]
		if !ok || seen[tenant] || len(q.Waits) != 1 || q.Waits[0].SinceMS == nil || q.AgeAtLeastMS == nil {
			t.Errorf("%s: %+v", tenant, q)
			continue
		}
		seen[tenant] = true
		w := q.Waits[0]
		from, to := s.Loop-want.After-1, s.Ended-want.Before+1
		if tenant == "worker" {
			from = min(from, 150-1)
		}
		if *w.SinceMS < from || *w.SinceMS > to {
			t.Errorf("%s: a timer runs since %v ms, want %v to %v", tenant, *w.SinceMS, from, to)
		}
		if due := float64(int(*w.DelayMS)) - *w.SinceMS; *w.DueInMS != due {
			t.Errorf("%s: due in %v ms, want %v", tenant, *w.DueInMS, due)
		}
		if *q.AgeAtLeastMS != *w.SinceMS {
			t.Errorf("%s: at least %v ms old, want %v", tenant, *q.AgeAtLeastMS, *w.SinceMS)
		}
		age := *q.AgeAtLeastMS
		if q.AgeMS != nil {
			age = *q.AgeMS
			from, to := s.Loop+s.Wall-want.Span-1, s.Ended+s.Wall-want.Span+1
			if want.Span == 0 || age < from || age > to {
				t.Errorf("%s: %v ms old, want %v to %v", tenant, age, from, to)
			}
		} else if want.Span != 0 && spans {
			t.Errorf("%s: nothing says how old it is", tenant)
		}
		oldest = append(oldest, max(age, *q.AgeAtLeastMS))
	}
	if !slices.IsSortedFunc(oldest, func(a, b float64) int { return int(b - a) }) || len(seen) != len(s.Of) {
		t.Errorf("%d of %d requests, of ages %v", len(seen), len(s.Of), oldest)
	}
}
