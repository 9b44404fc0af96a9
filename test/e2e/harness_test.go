// Package e2e runs the hotspan command on real Node.js processes that know the truth about themselves, and compares.
package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
)

var hotspan string // the command under test

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "hotspan-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		hotspan = filepath.Join(dir, "hotspan")
		if out, err := exec.Command("go", "build", "-o", hotspan, "../..").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build hotspan: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

var all = flag.Bool("all", false, "run each test on all versions of test/nodes.json, which takes an hour")

// eachNode runs a test that takes long: on some versions of test/nodes.json only, unless -all is given. TestEveryNode has
// a short look at all.
func eachNode(t *testing.T, f func(t *testing.T, node string)) {
	list := nodes.Thorough()
	if *all {
		list = nodes.Versions()
	}
	runNodes(t, list, func(t *testing.T, _ nodes.Version, node string) { f(t, node) })
}

// eachFrameNode is eachNode for versions with V8's AsyncContextFrame; flags put it on.
func eachFrameNode(t *testing.T, f func(t *testing.T, node string, flags []string)) {
	eachNode(t, func(t *testing.T, node string) {
		if flags, ok := versionOf(node).AsyncContextFrame(); ok {
			f(t, node, flags)
		}
	})
}

// versionOf is the version of a path that eachNode gives.
func versionOf(node string) nodes.Version {
	return nodes.Version{Version: filepath.Base(filepath.Dir(filepath.Dir(node)))}
}

func runNodes(t *testing.T, list []nodes.Version, f func(t *testing.T, v nodes.Version, node string)) {
	for _, v := range list {
		t.Run(v.Version, func(t *testing.T) {
			path, err := nodes.Path(v.Version)
			if err != nil {
				t.Fatal(err)
			}
			f(t, v, path)
		})
	}
}

// program is a run of one of test/programs.
type program struct {
	*exec.Cmd
	stderr io.Reader
	pid    int
	log    string // file of the truth
}

// start runs a program and waits until it says that it is ready.
func start(t *testing.T, node, script string, flags, env []string) *program {
	t.Helper()
	p := launch(t, node, script, flags, env)
	p.await(t)
	return p
}

// launch runs a program.
func launch(t *testing.T, node, script string, flags, env []string) *program {
	t.Helper()
	p := &program{log: filepath.Join(t.TempDir(), "truth.jsonl")}
	p.Cmd = exec.Command(node, append(append([]string{}, flags...), filepath.Join("../programs", script), p.log)...)
	p.Env = append(os.Environ(), env...)
	p.begin(t)
	return p
}

func (p *program) begin(t *testing.T) {
	t.Helper()
	var err error
	if p.stderr, err = p.StderrPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
}

// await waits until a program says that it is ready.
func (p *program) await(t *testing.T) {
	t.Helper()
	lines := bufio.NewScanner(p.stderr)
	for lines.Scan() {
		if pid, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			var err error
			if p.pid, err = strconv.Atoi(pid); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Logf("%v: %s", p.Args, lines.Text())
	}
	t.Fatalf("%v ended before it was ready: %v", p.Args, lines.Err())
}

// stopFile is what to set in the environment of programs so that they run until stop is called.
func stopFile(t *testing.T) (env string, stop func()) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stop")
	return "STOP=" + file, func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// truth waits for the program's end and reads what it wrote.
func (p *program) truth(t *testing.T) *truth.Log {
	t.Helper()
	if err := p.Wait(); err != nil {
		t.Fatalf("%v: %v", p.Args, err)
	}
	l, err := truth.ReadFile(p.log)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// result is what a run of hotspan left.
type result struct {
	code   int
	stderr string
	took   time.Duration
}

// run runs hotspan to its end.
func run(t *testing.T, args ...string) result {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command(hotspan, args...)
	c.Stderr = &stderr
	begin := time.Now()
	err := c.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return result{c.ProcessState.ExitCode(), stderr.String(), time.Since(begin)}
}

// record samples a process into JSON lines and reads them.
func record(t *testing.T, pid, rate int, d time.Duration, more ...string) []sample {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"record", "-p", strconv.Itoa(pid), "-F", strconv.Itoa(rate), "-d", d.String(), "-o", file}
	r := run(t, append(args, more...)...)
	t.Logf("%s", r.stderr)
	if r.code != 0 {
		t.Fatalf("hotspan ended with %d", r.code)
	}
	return readSamples(t, file)
}

// sample is a line of the jsonl format, as the README has it.
type sample struct {
	T      int64          `json:"t"`
	PID    int            `json:"pid"`
	TID    int            `json:"tid"`
	Thread string         `json:"thread"`
	State  string         `json:"state"`
	Stop   string         `json:"stop"`
	Labels map[string]any `json:"labels"`
	Stack  []frame        `json:"stack"`
}

type frame struct {
	F       string `json:"f"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Kind    string `json:"kind"`
	Tier    string `json:"tier"`
	Inlined bool   `json:"inlined"`
	Mod     string `json:"mod"`
	Addr    string `json:"addr"`
}

// is reports whether the frame is of a function. The truth has no file for evaluated code that has no name.
func (f frame) is(function, file string) bool {
	if file == "" && strings.HasPrefix(f.File, "eval at /") {
		return f.F == function
	}
	return f.F == function && f.File == file
}

// String is the stack down to the first JavaScript frames, for messages.
func (s *sample) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:", s.State, s.Stop)
	js := 0
	for _, f := range s.Stack {
		fmt.Fprintf(&b, "\n\t%s %s:%d:%d %s %s", f.F, f.File, f.Line, f.Col, f.Kind, f.Tier)
		if f.Kind == "js" {
			js++
		}
		if js == 3 {
			break
		}
	}
	return b.String()
}

// codeGone stands for what was inlined in the frame below it, which is not known any more.
const codeGone = "[code gone]"

// js is the JavaScript frames of the stack, leaf first, and where frames are missing codeGone.
func (s *sample) js() []frame {
	var out []frame
	for _, f := range s.Stack {
		if f.Kind == "js" || f.F == codeGone {
			out = append(out, f)
		}
	}
	return out
}

// isUnknown reports whether a frame says that it is not known.
func (f frame) isUnknown() bool { return f.F == codeGone || f.F == "[stale function]" }

func readSamples(t *testing.T, file string) []sample {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []sample
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	for d.More() {
		var s struct {
			sample
			CPU int `json:"cpu"`
		}
		if err := d.Decode(&s); err != nil {
			t.Fatalf("%s, sample %d: %v", file, len(out)+1, err)
		}
		out = append(out, s.sample)
	}
	return out
}

// share is a part of a whole, to be compared with a bound.
type share struct{ part, whole int }

func (s *share) count(yes bool) {
	s.whole++
	if yes {
		s.part++
	}
}

func (s share) percent() float64 { return 100 * float64(s.part) / float64(max(s.whole, 1)) }

func (s share) String() string {
	return fmt.Sprintf("%.2f %% (%d of %d)", s.percent(), s.part, s.whole)
}

// atLeast fails the test if the share is below a bound, or of too few samples to mean anything.
func (s share) atLeast(t *testing.T, what string, percent float64, whole int) {
	t.Helper()
	t.Logf("%s: %v", what, s)
	if s.whole < whole {
		t.Errorf("%s: only %d samples, want %d", what, s.whole, whole)
	}
	if s.percent() < percent {
		t.Errorf("%s: %v, want at least %v %%", what, s, percent)
	}
}

// interrupt is what Ctrl-C sends.
const interrupt = syscall.SIGINT
