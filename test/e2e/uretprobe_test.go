package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestReturns: each return from a function is a hit at its caller. Return addresses that the kernel has replaced, of
// calls that have not returned yet, do not end the stack.
func TestReturns(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const descend, first, last = "uretprobe:probed.node:descend", "uretprobe:probed.node:first_of",
			"uretprobe:probed.node:last_of"
		library := addon(t, node, "probed.c")
		const calls = 8 // of descend
		t.Run("recursion", func(t *testing.T) {
			r := recordAddon(t, node, library, "descend", []string{descend})
			callers := countHits(t, &r, descend, calls)
			for depth := range calls {
				want := strings.Repeat("descend < ", depth) + "call_descend"
				if n := callers[want]; n != r.sum() {
					t.Errorf("%d returns with the stack %s, want %d", n, want, r.sum())
				}
			}
		})
		t.Run("tail call", func(t *testing.T) {
			r := recordAddon(t, node, library, "tail", []string{first, last})
			for _, probe := range []string{first, last} {
				if callers := countHits(t, &r, probe, 1); callers["call_first"] != r.sum() {
					t.Errorf("callers of %s are %v", probe, callers)
				}
			}
		})
		t.Run("longjmp", func(t *testing.T) {
			const leap = "uretprobe:probed.node:leap"
			r := recordAddon(t, node, library, "leap", []string{leap})
			if callers := countHits(t, &r, leap, 1); callers["call_leap"] != r.sum() {
				t.Errorf("callers are %v", callers)
			}
		})
	})
}

// recordAddon records probes.js, which calls a function of an add-on.
func recordAddon(t *testing.T, node, library, function string, probes []string, args ...string) probed {
	t.Helper()
	args = append(args, "--probe-limit", "1000000")
	return recordProbes(t, node, []string{"ADDON=" + library, "FUNCTION=" + function}, probes, args...)
}

// sum is how often requests have called the function.
func (r *probed) sum() (sum int) {
	for _, n := range r.Called {
		sum += n
	}
	return sum
}

// countHits compares the hits of a probe with the calls, each of which has so many, and checks their stacks. It
// returns how often the add-on's part of the stack was what.
func countHits(t *testing.T, r *probed, probe string, hits int) map[string]int {
	t.Helper()
	got, want, callers := map[string]int{}, map[string]int{}, map[string]int{}
	for request, n := range r.Called {
		want[request] = n * hits
	}
	for _, s := range r.samples {
		if s.Labels["hotspan.probe"] != probe {
			continue
		}
		got[endpoint(&s)]++
		js := s.JS()
		if s.Stop != "root" || len(js) < 2 || js[0].F != "callOften" {
			t.Errorf("a stack of %d frames, %d of JavaScript, ends with %s", len(s.Stack), len(js), s.Stop)
		}
		callers[addonFrames(&s)]++
	}
	compareHits(t, probe, want, got, unlabelledOf(r.said))
	if lost := lostOf(t, r.said); lost != 0 {
		t.Errorf("%d hits are lost", lost)
	}
	return callers
}

// addonFrames names the frames from the leaf on to that of the function which JavaScript calls.
func addonFrames(s *judge.Sample) string {
	var names []string
	for _, f := range s.Stack {
		if filepath.Ext(f.Mod) != ".node" {
			break
		}
		names = append(names, f.F)
	}
	return strings.Join(names, " < ")
}

// TestNestedReturns: the kernel keeps 64 calls of a thread. The returns from the others are lost, and counted.
func TestNestedReturns(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const dive, depth, kept = "uretprobe:probed.node:dive", 100, 64
		r := recordAddon(t, node, addon(t, node, "probed.c"), "dive", []string{dive})
		written := 0
		for _, s := range r.samples {
			if s.Labels["hotspan.probe"] != dive {
				continue
			}
			written++
			if below := strings.Count(addonFrames(&s), "dive <"); s.Stop != "root" || below >= kept {
				t.Errorf("a stack with %d dives ends with %s", below, s.Stop)
			}
		}
		want := dive + ": " + strconv.Itoa(depth*r.sum()) + " hits (nested too deep " +
			strconv.Itoa((depth-kept)*r.sum()) + ")\n"
		if !strings.Contains(r.said, want) || written != kept*r.sum() {
			t.Errorf("%d samples, want %d, and %q", written, kept*r.sum(), want)
		}
		lostOf(t, r.said)
	})
}

// TestUnsafeReturns: V8 finds its frames by return addresses, and ends a process where it meets one that is not its
// own. fs.openSync of a file that is missing has it look, for the stack of the error. What V8's machine code calls is
// lost; Node 18 calls by way of C++, which is safe.
func TestUnsafeReturns(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const open, inside = "uretprobe::node::fs::Open", "uretprobe::uv_fs_open"
		r := recordProbes(t, node, []string{"FUNCTION=missing"}, []string{open, inside})
		hits := map[any]int{}
		for _, s := range r.samples {
			probe := s.Labels["hotspan.probe"]
			hits[probe]++
			if leaf := s.Stack[0]; s.Stop != "root" || leaf.Kind != "native" {
				t.Errorf("%s: the caller is %s, %s, the stack ends with %s", probe, leaf.F, leaf.Kind, s.Stop)
			}
		}
		all, _ := hitsOf(t, r.said, open)
		unsafe := lostOf(t, r.said)
		if all != hits[inside] || all != hits[open]+unsafe || all < r.sum() {
			t.Errorf("%d hits, %d of them unsafe, samples %v, want %d and more", all, unsafe, hits, r.sum())
		}
		if versionOf(node).Major() >= 22 && hits[open] > 0 {
			t.Errorf("%d hits of %s", hits[open], open)
		}
	})
}

// TestReturnsWithExceptions: a uretprobe would end the process where an exception passes it.
func TestReturnsWithExceptions(t *testing.T) {
	t.Parallel()
	node := node24(t)
	env := []string{"ADDON=" + addon(t, node, "throws.cc"), "FUNCTION=throws", "GO=/none"}
	p := start(t, node, "probes.js", nil, env)
	r := run(t, "record", "-p", strconv.Itoa(p.PID), "-d", "1s", "-o", filepath.Join(t.TempDir(), "out.jsonl"),
		"--probe", "uretprobe:throws.node:throws")
	if want := "it has exceptions of C++"; r.Code == 0 || !strings.Contains(r.Stderr, want) {
		t.Errorf("exit code %d, %q lacks %q", r.Code, r.Stderr, want)
	}
}

// TestReturnsAfterKill: a function that was called under a uretprobe returns as it should when hotspan was killed.
func TestReturnsAfterKill(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	const program = "let n = 0; const t = setInterval(() => { if (++n === 100) clearInterval(t); }, 100)"
	process := exec.Command(node24(t), "-e", program)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer process.Process.Kill()
	dir, pid := t.TempDir(), strconv.Itoa(process.Process.Pid)
	recorder := exec.Command(hotspan, "record", "-v", "-p", pid, "-o", filepath.Join(dir, "out.jsonl"),
		"--probe", "uretprobe::uv__io_poll") // where the event loop waits
	log := filepath.Join(dir, "log")
	var err error
	if recorder.Stderr, err = os.Create(log); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	awaitText(t, log, "layout compared")
	awaitText(t, "/proc/"+pid+"/maps", "[uprobes]")
	recorder.Process.Kill()
	if err := recorder.Wait(); err == nil {
		t.Error("hotspan has ended before")
	}
	if err := process.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}
