// Package e2e runs the hotspan command on real Node.js processes that log what they do, and compares profiles with
// logs.
package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/built"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/slowfiles"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

var hotspan string // the command under test

func TestMain(m *testing.M) {
	refuseCall()
	slowfiles.Main()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "hotspan-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		if hotspan, err = built.Hotspan(dir, "../.."); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

var all = flag.Bool("all", false, "run each test on all versions of test/nodes.json, which takes an hour")

// eachNode runs a test that takes long on some versions of test/nodes.json, or on all of them with -all. TestEveryNode
// is a short test of the others.
func eachNode(t *testing.T, f func(t *testing.T, node string)) {
	list := nodes.Thorough()
	if *all {
		list = nodes.Versions()
	}
	runNodes(t, list, func(t *testing.T, _ nodes.Version, node string) { f(t, node) })
}

// eachFrameNode is eachNode for versions with V8's AsyncContextFrame, which flags turn on.
func eachFrameNode(t *testing.T, f func(t *testing.T, node string, flags []string)) {
	eachNode(t, func(t *testing.T, node string) {
		if flags, ok := versionOf(node).AsyncContextFrame(); ok {
			f(t, node, flags)
		}
	})
}

// versionOf returns the version of a path from eachNode.
func versionOf(node string) nodes.Version {
	return nodes.Version{Version: filepath.Base(filepath.Dir(filepath.Dir(node)))}
}

func runNodes(t *testing.T, list []nodes.Version, f func(t *testing.T, v nodes.Version, node string)) {
	for _, v := range nodes.Drawn(list, t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			path, err := nodes.Path(v.Version)
			if err != nil {
				t.Fatal(err)
			}
			f(t, v, path)
		})
	}
}

// program is a run of a program of test/programs.
type program struct{ *trial.Program }

// start runs a program and waits until it says that it is ready.
func start(t *testing.T, node, script string, flags, env []string) program {
	t.Helper()
	p := launch(t, node, script, flags, env)
	p.await(t)
	return p
}

// launch runs a program, for two minutes at most unless env has another duration.
func launch(t *testing.T, node, script string, flags, env []string) program {
	t.Helper()
	env = append([]string{"DURATION_MS=120000"}, env...)
	p, err := trial.Launch(t.TempDir(), node, filepath.Join("../programs", script), flags, env)
	return owned(t, p, err)
}

// owned is a program that is ended with the test.
func owned(t *testing.T, p *trial.Program, err error) program {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return program{p}
}

// await waits until a program says that it is ready.
func (p program) await(t *testing.T) {
	t.Helper()
	if err := p.Await(); err != nil {
		t.Fatal(err)
	}
}

// truth stops the program and reads its log.
func (p program) truth(t *testing.T) *truth.Log {
	t.Helper()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	l, err := p.Truth()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// run runs hotspan to its end.
func run(t *testing.T, args ...string) trial.Result {
	t.Helper()
	r, err := trial.Run(hotspan, args...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// record samples a process into JSON lines and reads them.
func record(t *testing.T, pid, rate int, d time.Duration, more ...string) []judge.Sample {
	t.Helper()
	return recordBy(t, hotspan, pid, rate, d, more...)
}

// recordBy is record by another command than hotspan.
func recordBy(t *testing.T, command string, pid, rate int, d time.Duration, more ...string) []judge.Sample {
	t.Helper()
	samples, r, err := trial.Record(command, t.TempDir(), pid, rate, d, more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", r.Stderr)
	return samples
}

// late is, by the test, for which share of its recording other virtual machines had the CPUs: more than a twentieth.
// Meanwhile hotspan cannot read names, and those of code that lives for milliseconds are gone afterwards.
var late sync.Map

// inTime is atLeast for a share of samples that have names, without those that hotspan can have read too late.
func inTime(t *testing.T, s judge.Share, what string, percent float64, whole int) {
	t.Helper()
	share, ok := late.Load(t.Name())
	if ok {
		percent *= 1 - share.(float64)
		t.Logf("%s: read late for %.1f %% of the time", what, 100*share.(float64))
	}
	atLeast(t, s, what, percent, whole)
}

// recordEnough samples a process for d, and for longer if this gives less than so many samples: their number depends on
// how much CPU the machine gives the program. The samples are those of one recording, in which hotspan was not kept off
// the CPUs by other machines, if there is one in two.
func recordEnough(t *testing.T, pid, rate, enough int, d time.Duration, more ...string) []judge.Sample {
	t.Helper()
	any := func(*judge.Sample) bool { return true }
	return recordCounted(t, hotspan, pid, rate, enough, d, any, more...)
}

// recordEnoughJS is recordEnough by a command, which is a hotspan, that counts only samples with JavaScript: how many
// are of V8's helper threads differs by machine.
func recordEnoughJS(t *testing.T, command string, pid, rate, enough int, d time.Duration,
	more ...string) []judge.Sample {
	t.Helper()
	js := func(s *judge.Sample) bool { return len(s.JS()) > 0 }
	return recordCounted(t, command, pid, rate, enough, d, js, more...)
}

// recordCounted records until there are enough of the samples that count.
func recordCounted(t *testing.T, command string, pid, rate, enough int, d time.Duration,
	counts func(*judge.Sample) bool, more ...string) []judge.Sample {
	t.Helper()
	const longest = 40 * time.Second
	for tries := 1; ; tries++ {
		before := stolen(t)
		samples := recordBy(t, command, pid, rate, d, more...)
		late.Delete(t.Name())
		if share := (stolen(t) - before) / 1000 / d.Seconds() / float64(runtime.NumCPU()); share > 0.05 {
			t.Logf("other virtual machines had the CPUs for %.0f %% of the time", 100*share)
			late.Store(t.Name(), min(share, 1))
			if tries < 2 {
				continue
			}
		}
		n := 0
		for i := range samples {
			if counts(&samples[i]) {
				n++
			}
		}
		if n >= enough || d >= longest {
			return samples
		}
		longer := d * time.Duration(2*enough) / time.Duration(n+1)
		d = min(max(longer, 2*d), longest)
		t.Logf("only %d samples that count, want %d: recording again, for %v", n, enough, d)
	}
}

// stolen is for how many milliseconds other virtual machines have had this one's CPUs. (Linux: proc_stat(5))
func stolen(t *testing.T) (ms float64) {
	t.Helper()
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b[:bytes.IndexByte(b, '\n')]))
	ticks, err := strconv.ParseFloat(fields[8], 64)
	if err != nil {
		t.Fatal(err)
	}
	return ticks * 10 // USER_HZ is 100 on x86-64
}

// recordCommand has hotspan start a program of test/programs and record it until it ends. The program gets the path of
// its log as the last argument.
func recordCommand(t *testing.T, rate int, command ...string) ([]judge.Sample, *truth.Log) {
	t.Helper()
	samples, l, _ := recordClosing(t, rate, command...)
	return samples, l
}

// recordClosing is recordCommand, with what hotspan says at the end.
func recordClosing(t *testing.T, rate int, command ...string) ([]judge.Sample, *truth.Log, string) {
	t.Helper()
	dir := t.TempDir()
	out, log := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "truth.jsonl")
	args := append([]string{"record", "-F", strconv.Itoa(rate), "-o", out, "--"}, command...)
	r := run(t, append(args, log)...)
	if t.Logf("%s", r.Stderr); r.Code != 0 {
		t.Fatalf("hotspan ended with %d", r.Code)
	}
	l, err := truth.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return readSamples(t, out), l, string(r.Stderr)
}

func readSamples(t *testing.T, file string) []judge.Sample {
	t.Helper()
	samples, err := judge.ReadSamples(file)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// readLines reads a file of lines of JSON.
func readLines[T any](t *testing.T, file string) (all []T) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); d.More(); {
		var line T
		if err := d.Decode(&line); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, line)
	}
	return all
}

// atLeast fails the test if a share is below a bound, or has too few samples to be significant.
func atLeast(t *testing.T, s judge.Share, what string, percent float64, whole int) {
	t.Helper()
	t.Logf("%s: %v", what, s)
	if s.Whole < whole {
		t.Errorf("%s: only %d samples, want %d", what, s.Whole, whole)
	}
	if s.Percent() < percent {
		t.Errorf("%s: %v, want at least %v %%", what, s, percent)
	}
}

// tell logs examples of findings.
func tell(t *testing.T, examples []string) {
	t.Helper()
	for _, e := range examples {
		t.Log(e)
	}
}

// interrupt is the signal that Ctrl-C sends.
const interrupt = syscall.SIGINT
