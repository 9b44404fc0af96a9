package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

const (
	onFunction = "uprobe::uv_os_getpriority"
	onCall     = "syscall:getpriority"
	onOpen     = "uprobe::uv_fs_open"
	onEnter    = "tp:sys_enter,if=arg1==140" // getpriority
)

// calls is what probes.js prints.
type calls struct {
	Called map[string]int
	Took   float64 // of the busy request, in milliseconds
	CPU    float64 // that the process used meanwhile, in milliseconds
}

// probed is a recording of probes.js to its end.
type probed struct {
	calls
	samples []judge.Sample
	said    string // by hotspan
}

// recordProbes records probes.js with probes.
func recordProbes(t *testing.T, node string, env, probes []string, args ...string) (r probed) {
	t.Helper()
	for _, probe := range append(probes, onOpen) {
		args = append(args, "--probe", probe)
	}
	r.samples, r.said = recordGo(t, &r.calls, node, "probes.js", env, args...)
	return r
}

// recordGo records a program to its end, and tells it to begin once requests have their labels. What the program has
// printed is read into printed. It returns the samples, and what hotspan said.
func recordGo(t *testing.T, printed any, node, program string, env []string, args ...string) ([]judge.Sample, string) {
	t.Helper()
	dir := t.TempDir()
	goOn, out, log := filepath.Join(dir, "go"), filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "log")
	var text bytes.Buffer
	command := exec.Command(node, "../programs/"+program)
	command.Env = append(append(os.Environ(), "GO="+goOn), env...)
	command.Stdout = &text
	started, err := trial.Begin(command)
	p := owned(t, started, err)
	p.await(t)
	args = append(args, "-v", "-p", strconv.Itoa(p.PID), "-o", out, "--label", "endpoint=endpoint", "-d", "60s")
	recorder := exec.Command(hotspan, append([]string{"record"}, args...)...)
	if recorder.Stderr, err = os.Create(log); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	awaitText(t, log, "first named sample")
	time.Sleep(2 * time.Second) // what requests refer to is learned
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err = recorder.Wait()
	said, _ := os.ReadFile(log)
	if t.Logf("%s", said); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), printed); err != nil {
		t.Fatalf("%q: %v", text.String(), err)
	}
	return readSamples(t, out), string(said)
}

// awaitText waits until a file has a text.
func awaitText(t *testing.T, file, text string) {
	t.Helper()
	until(t, func() bool {
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(have, []byte(text))
	}, func() string { return text + " in " + file })
}

// TestProbes: each hit is a sample, with its request and its stack.
func TestProbes(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		r := recordProbes(t, node, nil, []string{onFunction, onCall})
		got := map[string]map[string]int{}
		for _, s := range r.samples {
			probe, _ := s.Labels["hotspan.probe"].(string)
			if probe == onOpen {
				continue
			}
			if got[probe] == nil {
				got[probe] = map[string]int{}
			}
			got[probe][endpoint(&s)]++
			checkHit(t, probe, &s)
		}
		for _, probe := range []string{onFunction, onCall} {
			compareHits(t, probe, r.Called, got[probe], unlabelledOf(r.said))
		}
		if lost := lostOf(t, r.said); lost != 0 {
			t.Errorf("%d hits are lost", lost)
		}
	})
}

// compareHits compares the hits of each request with the calls. Those that lack their request are calls, too: a
// collection moves what was learned of its objects, and it takes hotspan a moment to learn it again. They must be few,
// and hotspan must have counted them.
func compareHits(t *testing.T, probe string, want, got map[string]int, counted int) {
	t.Helper()
	unlabelled, all := got[""], 0
	delete(got, "")
	for _, n := range want {
		all += n
	}
	if unlabelled > counted || unlabelled > all/10 {
		t.Errorf("%s: %d of %d hits have no request, hotspan counts %d", probe, unlabelled, all, counted)
	}
	for request, n := range want {
		if short := n - got[request]; short > 0 && short <= unlabelled {
			unlabelled -= short
			got[request] = n
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || unlabelled != 0 {
		t.Errorf("%s: hits by request, want and got, beside %d without one: %s", probe, unlabelled, diff)
	}
}

var whyUnlabelled = regexp.MustCompile(`labelled [^(\n]*\((.*)\)`)

// unlabelledOf returns how many hits lack labels for reasons that the closing line has.
func unlabelledOf(said string) (sum int) {
	if m := whyUnlabelled.FindStringSubmatch(said); m != nil {
		for _, n := range regexp.MustCompile(`\d+`).FindAllString(m[1], -1) {
			count, _ := strconv.Atoi(n)
			sum += count
		}
	}
	return sum
}

// checkHit looks for the function that was hit, as the leaf, and for those that called it up to the first frame.
func checkHit(t *testing.T, probe string, s *judge.Sample) {
	t.Helper()
	js := s.JS()
	at := s.Stack[0]
	switch {
	case s.Stop != "root" || len(js) < 2:
		t.Errorf("%s: a stack of %d frames, %d of JavaScript, ends with %s", probe, len(s.Stack), len(js), s.Stop)
	case probe == onFunction && (at.F != "uv_os_getpriority" || at.Kind != "native"):
		t.Errorf("%s: the leaf is %s", probe, at.F)
	case probe == onCall && s.Stack[1].F != "uv_os_getpriority":
		t.Errorf("%s: the leaf is %s, its caller %s", probe, at.F, s.Stack[1].F)
	case js[0].F != "getPriority" || js[1].F != "callOften" || js[1].Line != 84:
		t.Errorf("%s: the functions are %s and %s:%d", probe, js[0].F, js[1].F, js[1].Line)
	}
}

var sumOfHits = regexp.MustCompile(`(?m)^(\d+) hits of probes in .* = (\d+) written \+ (\d+) lost`)

// lostOf checks the sum in hotspan's closing line, and returns how many hits were lost.
func lostOf(t *testing.T, said string) int {
	t.Helper()
	m := sumOfHits.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no sum in %q", said)
	}
	all, _ := strconv.Atoi(m[1])
	written, _ := strconv.Atoi(m[2])
	lost, _ := strconv.Atoi(m[3])
	if all != written+lost {
		t.Errorf("%d hits are not %d + %d", all, written, lost)
	}
	return lost
}

// hitsOf returns how often a probe was hit, as hotspan says, and how many of the hits the limit left out.
func hitsOf(t *testing.T, said, probe string) (all, limited int) {
	t.Helper()
	of := `(?m)^` + regexp.QuoteMeta(probe) + `: (\d+) hits(?:$|,| \((?:rate limit (\d+))?)`
	m := regexp.MustCompile(of).FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no hits of %s in %q", probe, said)
	}
	all, _ = strconv.Atoi(m[1])
	limited, _ = strconv.Atoi(m[2])
	return all, limited
}

// atOnce is how many samples the limit of TestManyHits leaves a probe, in a second or at once.
const atOnce = 200

// TestManyHits: hits beyond the limit are counted, and the program goes on. A uprobe is a trap, which takes the kernel
// tens of microseconds where the machine is busy.
func TestManyHits(t *testing.T) {
	draw.Quarter(t, seldom)
	eachNode(t, func(t *testing.T, node string) {
		if !*all && node != node24(t) {
			return
		}
		for probe, many := range map[string]int{onCall: 3_000_000, onEnter: 3_000_000, onFunction: 100_000} {
			const limit = atOnce
			env := []string{"REQUESTS=0", fmt.Sprint("CALLS=", many)}
			r := recordProbes(t, node, env, []string{probe}, "--probe-limit", fmt.Sprint(limit))
			took := time.Duration(r.Took * float64(time.Millisecond))
			rate := float64(many) / took.Seconds()
			t.Logf("%s: %d calls took %v: %.0f hits a second", probe, many, took, rate)
			if probe == onCall && rate < 100_000 {
				t.Errorf("%.0f hits a second are too few to show anything", rate)
			}
			lostOf(t, r.said)
			written := sampledHits(t, r.samples, probe)
			if hits, limited := hitsOf(t, r.said, probe); hits != many || written+limited != many {
				t.Errorf("%s: %d hits = %d + %d over the limit, want %d", probe, hits, written, limited, many)
			}
			// as many as in a second at once, and on each CPU that the program ran on
			if most := int(limit * (took.Seconds() + 2) * 2); written < limit || written > most {
				t.Errorf("%s: %d samples in %v, want %d to %d", probe, written, took, limit, most)
			}
		}
	})
}

// sampledHits counts the samples of a probe, which are of the busy request.
func sampledHits(t *testing.T, samples []judge.Sample, probe string) (n int) {
	t.Helper()
	unlabelled := 0
	for _, s := range samples {
		if s.Labels["hotspan.probe"] != probe {
			continue
		}
		n++
		switch name := endpoint(&s); name {
		case "":
			unlabelled++
		case "busy":
		default:
			t.Errorf("%s in request %s", probe, name)
		}
	}
	if unlabelled > atOnce { // those may come before what the request refers to is learned
		t.Errorf("%s: %d samples have no request", probe, unlabelled)
	}
	return n
}

// TestProbeErrors: what is wrong with a probe is said, and nothing is recorded.
func TestProbeErrors(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "shares.js", nil, nil)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--probe", "uprobe::uv_fs_opem"}, []string{"no native function has the name uv_fs_op", "uv_fs_open"}},
		{[]string{"--probe", "uprobe::uv_fs_*"}, []string{"functions have the name uv_fs_*: uv_fs_", "…"}},
		{[]string{"--probe", "uprobe:libnone.so:f"}, []string{"libnone.so is not mapped by process", "libc.so.6"}},
		{[]string{"--probe", "uprobe::uv_fs_open+1"}, []string{"no instruction begins there"}},
		{[]string{"--probe", "uprobe::uv_fs_open+0x100000"}, []string{"uv_fs_open+0x100000: the function has"}},
		{[]string{"--probe", "uprobe::Builtins_ArrayPrototypePush"}, []string{"a builtin of V8"}},
		{[]string{"--probe", "uprobe:libc.so.6:memcpy"}, []string{"only chooses the function"}},
		{[]string{"--probe", "syscall:opennat"}, []string{"no system call has this name", "openat"}},
		{[]string{"--probe", "tp:sched:"}, []string{"want tp:GROUP:NAME"}},
		{[]string{"--probe", "tp:sched:sched_proces_fork"}, []string{"has no tracepoint", "sched_process_fork"}},
		{[]string{"--probe", "tp:sched_process_fork,if=arg2>1"}, []string{"arg2: the tracepoint has 2 arguments"}},
		{[]string{"--probe", "tp:irq_vectors:reschedule_entry"}, []string{"interrupts pass it"}},
		{[]string{"--probe", "usdt:node:gc"}, []string{"want usdt:FILE:PROVIDER:NAME"}},
		{[]string{"--probe", "usdt:libc.so.6:libc:none"}, []string{"it has no USDT probes"}},
		{[]string{"--probe", onCall, "--probe", onCall}, []string{"it is there twice"}},
		{[]string{"--probe", onCall + ",if=arg0>1", "--probe", onCall}, []string{"it is there twice"}},
		{[]string{"--probe", onCall + ",if=arg9>1"}, []string{"if=arg9>1: arg9: want arg0 to arg5"}},
		{[]string{"--probe", onCall, "-F", "0"}, []string{"rate 0: at least 1 sample a second"}},
		{[]string{"--probe", onCall, "-F", "99", "--format", "collapsed"}, []string{"either hits or CPU time"}},
		{[]string{"--off-cpu", "-F", "99"}, []string{"-F: --off-cpu has no timer"}},
		{[]string{"--probe", onCall, "--wall"}, []string{"one in a recording"}},
		{[]string{"--probe", onCall, "--format", "html"}, []string{"shows CPU time"}},
	} {
		out := filepath.Join(t.TempDir(), "out.pb.gz")
		r := run(t, append([]string{"record", "-p", strconv.Itoa(p.PID), "-d", "1s", "-o", out}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(r.Stderr, want) {
				t.Errorf("%v: %q is not in %q", c.args, want, r.Stderr)
			}
		}
		if _, err := os.Stat(out); r.Code == 0 || err == nil {
			t.Errorf("%v ended with %d", c.args, r.Code)
		}
	}
}
