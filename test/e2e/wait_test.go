package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx/report"
)

// lateRoute works for /early, and after two seconds for /late in turn. It writes down each piece of work, with its
// begin and its end as Unix times in nanoseconds. When it makes the store of /late is a piece of its own.
const lateRoute = `
const { AsyncLocalStorage } = require('async_hooks')
const { writeSync } = require('fs')
const requests = new AsyncLocalStorage()
const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6))
const say = (route, began) => writeSync(1, route + ' ' + began + ' ' + now() + '\n')
const next = (route) => requests.run({ route }, () => setTimeout(work, 10, route))
function work(route) {
  const began = now()
  for (const end = performance.now() + 10; performance.now() < end;);
  say(route, began)
  if (performance.now() < 2000) return next('/early')
  if (route === '/early') say('first', now())
  next(route === '/early' ? '/late' : '/early')
}
next('/early')`

// earlyAndLate returns what lateRoute has written down: when it made the first store of /late, and when it worked for
// /early.
func earlyAndLate(t *testing.T, file string) (first int64, early []gap) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var what string
		var g gap
		if _, err := fmt.Sscanf(line, "%s %d %d\n", &what, &g.From, &g.To); err != nil {
			break // not written to its end
		}
		switch {
		case what == "/early":
			early = append(early, g)
		case what == "first" && first == 0:
			first = g.From
		}
	}
	return first, early
}

// waitedFor is what wait prints as JSON.
type waitedFor struct {
	Outcome                 string
	Time                    int64
	Samples, Matching, Lost int64
	Loops                   int
	Sample                  struct {
		PID    int
		Labels map[string]any
	}
	Stall report.Stall
}

// startNode starts a program, and returns it with the file that has what it prints.
func startNode(t *testing.T, node string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	said := filepath.Join(t.TempDir(), "said")
	out, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := exec.Command(node, args...)
	c.Stdout, c.Stderr = out, os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return c, said
}

// wait waits for something in a process. The exit code is to be the given one.
func wait(t *testing.T, code int, pid int, args ...string) (w waitedFor, said string) {
	t.Helper()
	c := exec.Command(hotspan, append([]string{"wait", "--json", "-p", strconv.Itoa(pid)}, args...)...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if got := c.ProcessState.ExitCode(); got != code || json.Unmarshal(out, &w) != nil {
		t.Fatalf("exit code %d, want %d: %v\n%s%s", got, code, err, out, &stderr)
	}
	return w, stderr.String()
}

// TestWaitForLabel: the sample that ends the wait is one that was taken while the program worked for the route.
func TestWaitForLabel(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		c, said := startNode(t, node, "-e", lateRoute)
		w, _ := wait(t, 0, c.Process.Pid, "--for-label", "http.route=/late", "--for-samples", "3", "--timeout", "100s",
			"--label", "http.route=route")
		time.Sleep(time.Second) // what the sample is of has been written down by then
		first, early := earlyAndLate(t, said)
		wrong := slices.ContainsFunc(early, func(g gap) bool { return g.From < w.Time && w.Time < g.To })
		if wrong || first == 0 || w.Time < first || w.Time > time.Now().UnixNano() {
			t.Errorf("sampled at %d, the first /late is from %d", w.Time, first)
		}
		if w.Outcome != "seen" || w.Matching < 3 || w.Sample.Labels["http.route"] != "/late" ||
			w.Sample.PID != c.Process.Pid {
			t.Errorf("%+v", w)
		}
		t.Logf("%d of %d samples", w.Matching, w.Samples)
	})
}

// TestWaitInVain: the end of the process and a timeout have exit codes of their own, and neither comes too early.
func TestWaitInVain(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		c, _ := startNode(t, node, "-e", lateRoute)
		never := []string{"--for-label", "http.route=/never", "--label", "http.route=route"}
		began := time.Now()
		w, said := wait(t, 3, c.Process.Pid, append(never, "--timeout", "5s")...)
		took := time.Since(began)
		if w.Outcome != "timeout" || took < 5*time.Second || w.Samples == 0 || w.Matching > 0 {
			t.Errorf("%+v after %v", w, took)
		}
		if !strings.Contains(said, "timeout after 5s: 0 with http.route=/never, of ") {
			t.Error(said)
		}
		killed := make(chan time.Time, 1)
		time.AfterFunc(4*time.Second, func() {
			killed <- time.Now()
			c.Process.Kill()
			c.Wait()
		})
		w, _ = wait(t, 4, c.Process.Pid, append(never, "--timeout", "100s")...)
		if w.Outcome != "ended" || len(killed) == 0 {
			t.Errorf("%+v", w)
		}
		w, said = wait(t, 4, c.Process.Pid, never...)
		if w.Outcome != "ended" || !strings.Contains(said, "there is no such process") {
			t.Errorf("%+v %s", w, said)
		}
	})
}

// TestWaitForStall: the stall that ends the wait is a turn that the program has written down, of its place and request,
// and no shorter one. Of a libuv that does not count turns wait says that none is known.
func TestWaitForStall(t *testing.T) {
	t.Parallel()
	const rate, least = 499, 200 * time.Millisecond
	eachNode(t, func(t *testing.T, node string) {
		c, said := startNode(t, node, "../programs/stalls.js")
		args := []string{"--for-stall", least.String(), "-F", strconv.Itoa(rate), "--label", "http.route=route"}
		if versionOf(node).Major() < 20 {
			_, told := wait(t, 3, c.Process.Pid, append(args, "--timeout", "6s")...)
			if !strings.Contains(told, "the turns of no event loop are known") {
				t.Error(told)
			}
			return
		}
		w, _ := wait(t, 0, c.Process.Pid, append(args, "--timeout", "100s")...)
		turns := turnsOf(t, said, 2)
		i := slices.IndexFunc(turns, func(h heldUp) bool {
			main := w.Stall.PID == w.Stall.TID
			return main == (h.Thread == 0) && w.Stall.Start < h.Began+h.Length && w.Stall.Start+w.Stall.Length > h.Began
		})
		if i < 0 {
			t.Fatalf("no turn is %+v", w.Stall)
		}
		h, period := turns[i], int64(time.Second)/rate
		switch {
		case w.Outcome != "seen" || w.Time != w.Stall.Start || w.Stall.Length < least.Nanoseconds():
			t.Errorf("%+v", w)
		case w.Stall.Length > h.Length+h.Around+2*period:
			t.Errorf("%+v is held up for %v", h, time.Duration(w.Stall.Length))
		case !isOf(w.Stall, h, period):
			t.Errorf("%+v: %+v %+v %+v", h, w.Stall.Requests, w.Stall.Path, w.Stall.Calls)
		}
		t.Logf("%v of %v in %s", time.Duration(w.Stall.Length), time.Duration(h.Length), h.Route)
	})
}

// TestWaitForAgent: without a selection wait looks at what an agent samples.
func TestWaitForAgent(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	startNode(t, node24(t), "-e", lateRoute, own)
	a := startAgent(t, "--name", regexp.QuoteMeta(own), "--label", "http.route=route")
	ask := func(code int, args ...string) string {
		c := exec.Command(hotspan, append([]string{"wait", "--socket", a.socket}, args...)...)
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != code {
			t.Errorf("%v, want code %d: %s", err, code, out)
		}
		return string(out)
	}
	said := ask(0, "--for-label", "http.route=/late", "--timeout", "100s")
	if !strings.Contains(said, ", http.route=/late: ") {
		t.Error(said)
	}
	if said = ask(3, "--for-label", "http.route=/never", "--timeout", "1s", "--quiet"); said != "" {
		t.Error(said)
	}
	a.stop(t)
}
