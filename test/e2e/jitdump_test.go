package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// jitted counts the samples of jitted.c: those in code that it has made itself, by its functions.
type jitted struct {
	named, all map[string]int
	early      int // before the first that has a name
	wrong      int
}

// judgeJitted compares the name of each frame of code made at run time with the function that has called it, and its
// line with that of the function's body. Where a sample was taken before the code kept its frame pointer, the caller is
// not in the stack.
func judgeJitted(t *testing.T, samples []judge.Sample) jitted {
	t.Helper()
	j := jitted{named: map[string]int{}, all: map[string]int{}}
	for _, s := range samples {
		stack := s.Stack
		for len(stack) > 0 && stack[0].Kind == "kernel" {
			stack = stack[1:]
		}
		if len(stack) < 2 || stack[0].Kind != "jit" {
			continue
		}
		of, ok := strings.CutPrefix(stack[1].F, "call_")
		if !ok {
			continue
		}
		number, err := strconv.Atoi(of[1:])
		if err != nil {
			t.Fatalf("caller %s", of)
		}
		if len(j.named) == 0 && strings.HasPrefix(stack[0].F, "[") {
			j.early++
			continue
		}
		j.all[of]++
		want := judge.Frame{F: of, File: "/src/" + of + ".x", Line: 200 + number, Kind: "jit", Mod: stack[0].Mod}
		switch {
		case stack[0] == want && strings.HasSuffix(want.Mod, fmt.Sprintf("/jit-%d.dump", s.PID)):
			j.named[of]++
		case !strings.HasPrefix(stack[0].F, "[") && stack[0].Line != number+100:
			j.wrong++
			t.Errorf("%+v, called by call_%s", stack[0], of)
		}
	}
	t.Logf("named %v of %v, after %d", j.named, j.all, j.early)
	return j
}

// check: no name is wrong, and code has one. But f5 mostly has none: other code is in its place soon, of which the file
// says nothing for a time. Before it does, that code, f6, has no name either, nor has f7 in a third of its time while
// its record is not complete, if hotspan looks just then; nor has a function all the time that it ran before the
// program was interrupted between making other code in its place and writing the record. Before hotspan knows that the
// process has mapped the file there may be so many samples.
func (j jitted) check(t *testing.T, early int) {
	t.Helper()
	const few = 12 // twice the 10 ms for which a function runs
	for f, percent := range map[string]int{"f0": 97, "f1": 97, "f2": 97, "f3": 97, "f4": 97, "f7": 90} {
		if j.all[f] < 10 || j.named[f]*100 < (j.all[f]-few)*percent {
			t.Errorf("%s: %d of %d samples are named", f, j.named[f], j.all[f])
		}
	}
	if j.early > early {
		t.Errorf("%d samples before the first with a name", j.early)
	}
	if j.all["f5"] == 0 || j.named["f6"] == 0 || j.wrong > 0 {
		t.Errorf("%d wrong, %v of %v", j.wrong, j.named, j.all)
	}
}

// TestJitdump: code that a process without V8 makes has the names and lines that its jitdump has for the time of each
// sample, while the process writes it: in either byte order, moved, and in places that are used again.
func TestJitdump(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	program := filepath.Join(t.TempDir(), "jitted")
	if said, err := exec.Command("gcc", "-O1", "-o", program, "testdata/jitted.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, order := range []string{"little", "big"} {
		t.Run(order, func(t *testing.T) {
			started, err := trial.Begin(exec.Command(program, t.TempDir(), order, "60000"))
			p := owned(t, started, err)
			p.await(t)
			judgeJitted(t, recordEnough(t, p.PID, 499, 1000, 6*time.Second)).check(t, 150)
		})
	}
}

// TestJitdumpInNode: an add-on makes code, after hotspan has begun, while V8 writes a jitdump of its own, or not.
// V8's code has hotspan's names.
func TestJitdumpInNode(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		for _, flags := range [][]string{nil, {"--perf-prof"}} {
			program, err := filepath.Abs("testdata/jitted.js")
			if err != nil {
				t.Fatal(err)
			}
			command := exec.Command(node, append(flags, program, addon(t, node, "jitted.c", "-DADDON"), t.TempDir())...)
			command.Dir = t.TempDir() // V8 writes its file there
			started, err := trial.Begin(command)
			p := owned(t, started, err)
			p.await(t)
			samples := recordEnough(t, p.PID, 499, 700, 10*time.Second)
			judgeJitted(t, samples).check(t, len(samples)/4)
			js := 0
			for _, s := range samples {
				if leaf := s.Stack[0]; leaf.F == "spin" && leaf.Kind == "js" && leaf.Mod == "" {
					js++
				}
				for _, f := range s.Stack {
					if f.Kind == "jit" && f.F[0] != '[' && !strings.HasPrefix(f.File, "/src/f") {
						t.Errorf("%v: %+v", flags, f)
					}
				}
			}
			if js < 100 {
				t.Errorf("%v: only %d of %d samples are in spin", flags, js, len(samples))
			}
		}
	})
}

// TestJitdumpOfPython: samples of Python functions have the names that Python gives the code through which it calls
// them, by what the program says of its times.
func TestJitdumpOfPython(t *testing.T) {
	t.Parallel()
	if err := exec.Command("python3.13", "-c", "").Run(); err != nil {
		t.Skip("there is no Python 3.13:", err)
	}
	command := exec.Command("python3.13", "-X", "perf_jit", "testdata/jitted.py")
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	command.Stdout = log
	started, err := trial.Begin(command)
	p := owned(t, started, err)
	p.await(t)
	t.Cleanup(func() { os.Remove(fmt.Sprintf("/tmp/jit-%d.dump", p.PID)) }) // which only Python chooses
	samples := recordEnough(t, p.PID, 499, 1000, 5*time.Second)
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	right, wrong := 0, 0
	for {
		var name string
		var begin, end int64
		if n, _ := fmt.Fscanln(log, &name, &begin, &end); n < 3 { // it is still written
			break
		}
		const slack = int64(time.Millisecond)
		for _, s := range samples {
			if s.T < begin+slack || s.T > end-slack {
				continue
			}
			i := slices.IndexFunc(s.Stack, func(f judge.Frame) bool { return f.Kind == "jit" })
			if i >= 0 && strings.HasPrefix(s.Stack[i].F, "py::"+name+":") {
				right++
			} else if wrong++; wrong < 10 {
				t.Logf("in %s: %+v", name, s.Stack)
			}
		}
	}
	if t.Logf("%d right, %d wrong or without a name", right, wrong); right < 900 || wrong*100 > right {
		t.Errorf("%d are right, %d wrong or without a name", right, wrong)
	}
}
