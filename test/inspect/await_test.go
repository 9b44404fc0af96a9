package inspect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// awaited is what hotspan inspect await prints.
type awaited []struct {
	Waits []awaitedChain
}

type awaitedChain struct {
	Waiters      []asyncFrame
	End, Promise string
	Forks        []awaitedChain
}

// asyncFrame is one who waits.
type asyncFrame struct {
	Kind, F, File, Address string
	Line, Col              int
}

// TestAwait: who waits for a promise is what Error.stack said of it, of a process that runs.
func TestAwait(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	script := awaitScript(t)
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			dir := t.TempDir()
			p := live.Start(t, v.Version, script, dir, "wait")
			checkAwait(t, v, dir, "-p", strconv.Itoa(p.PID))
		})
	}
}

// TestAwaitOfCore: of a core too.
func TestAwaitOfCore(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	live.NeedCores(t)
	script := awaitScript(t)
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			dir := t.TempDir()
			checkAwait(t, v, dir, live.Core(t, v.Version, script, dir, "wait", "abort"))
		})
	}
}

func awaitScript(t *testing.T) string {
	t.Helper()
	script, err := filepath.Abs("testdata/await.js")
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// checkAwait compares who waits for each promise that the program has named with what it wrote down.
func checkAwait(t *testing.T, v nodes.Version, dir string, of ...string) {
	t.Helper()
	seen := 0
	for way, address := range awaitedPromises(t, of...) {
		var a awaited
		if err := inspect(&a, append(of, "await", address)...); err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		c := a[0].Waits[0]
		if way == "circle" {
			if c.End != "circular" || len(c.Waiters) != 1 {
				t.Errorf("%s: %+v", way, c)
			}
			continue
		}
		seen++
		if len(c.Waiters) == 0 || c.Waiters[0].F != "innermost" {
			t.Errorf("%s: %+v", way, c)
			continue
		}
		compareAsync(t, way, asyncLines(t, v, dir, way), c.Waiters[1:], c.End)
		checkGenerator(t, &c, of...)
		if way == "twice" {
			checkForks(t, &c)
		}
	}
	said, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || seen != len(said) || seen < 20 {
		t.Errorf("%d promises, %d wrote down who awaits them (%v)", seen, len(said), err)
	}
	checkCalls(t, len(said), of...)
}

// checkCalls asks for the suspended calls of a function, and of all functions that use the variables which it uses.
func checkCalls(t *testing.T, want int, of ...string) {
	t.Helper()
	var list struct{ Addresses []string }
	if err := inspect(&list, append(of, "objects", "AsyncFunction")...); err != nil {
		t.Fatal(err)
	}
	var functions []struct{ Name, Address, Context string }
	if err := inspect(&functions, append(append(of, "function"), list.Addresses...)...); err != nil {
		t.Fatal(err)
	}
	for _, f := range functions {
		if f.Name != "innermost" {
			continue
		}
		var a awaited
		if err := inspect(&a, append(of, "await", f.Address, f.Context)...); err != nil {
			t.Fatal(err)
		}
		calls, all := a[0].Waits, a[1].Waits
		for _, c := range calls {
			if c.Waiters[0].F != "innermost" {
				t.Errorf("a call of %s", c.Waiters[0].F)
			}
		}
		if len(calls) != want || len(all) <= len(calls) {
			t.Errorf("%d calls of %d, %d of all that use its context", len(calls), want, len(all))
		}
		return
	}
	t.Errorf("innermost is not among %v", functions)
}

// awaitedPromises are the addresses of the promises that the program has named.
func awaitedPromises(t *testing.T, of ...string) map[string]string {
	t.Helper()
	var list struct{ Addresses []string }
	if err := inspect(&list, append(of, "objects", "Promise", "-n", "100000")...); err != nil {
		t.Fatal(err)
	}
	var printed []struct{ Address, Text string }
	if err := inspect(&printed, append(append(of, "print"), list.Addresses...)...); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range printed {
		if m := regexp.MustCompile(`^Promise \{ <pending>, way: '(\w+)'`).FindStringSubmatch(p.Text); m != nil {
			out[m[1]] = p.Address
		}
	}
	return out
}

// checkForks compares the two that wait for one promise with what the program does.
func checkForks(t *testing.T, c *awaitedChain) {
	t.Helper()
	var got []string
	for _, fork := range c.Forks {
		for _, w := range fork.Waiters {
			if w.F == "" || w.Kind == "callback" {
				w.F = w.Kind
			}
			got = append(got, w.F)
		}
		got = append(got, fork.End)
	}
	want := []string{"callback", "Promise.all (index 1)", "twice", "outermost", "nobody", // then is called first
		"Promise.all (index 0)", "twice", "outermost", "nobody"}
	if diff := cmp.Diff(want, got); diff != "" || c.End != "several" {
		t.Errorf("it ends as %s: %s", c.End, diff)
	}
}

// checkGenerator asks the same by the object of the function that waits, and by its context.
func checkGenerator(t *testing.T, want *awaitedChain, of ...string) {
	t.Helper()
	var a awaited
	if err := inspect(&a, append(of, "await", want.Waiters[0].Address)...); err != nil {
		t.Fatal(err)
	}
	got := a[0].Waits[0]
	n := min(len(want.Waiters), len(got.Waiters)) // one of them may be cut
	if diff := cmp.Diff(want.Waiters[:n], got.Waiters[:n]); diff != "" || want.End != got.End {
		t.Errorf("by its generator it ends as %s: %s", got.End, diff)
	}
}

// asyncLine is a line of Error.stack: with or without a name, in a file or in evaluated code.
var asyncLine = regexp.MustCompile(`^    at async (?:(.+) \()?(.*?):(\d+):(\d+)\)?$`)

// asyncLines are the lines of the functions that wait, in a stack that the program wrote down.
func asyncLines(t *testing.T, v nodes.Version, dir, way string) (out []asyncFrame) {
	t.Helper()
	if v.Major() == 16 && way == "allSettled" { // V8 9 ends there; all has the same lines but for names and places
		out = asyncLines(t, v, dir, "all")
		out[0].F, out[1].F = "Promise.allSettled (index 0)", way
		out[1].Line, out[1].Col = out[1].Line+1, out[1].Col+7
		return out
	}
	if v.Major() < 25 && way == "direct" { // nor does V8 until 13 follow these; plain is in the line before
		out = asyncLines(t, v, dir, "plain")
		out[0].F, out[0].Line, out[0].Col = way, out[0].Line+1, out[0].Col+1
		return out
	}
	text, err := os.ReadFile(filepath.Join(dir, way+".json"))
	var lines []string
	if err != nil || json.Unmarshal(text, &lines) != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, line := range lines {
		if m := asyncLine.FindStringSubmatch(line); m != nil {
			f := asyncFrame{F: m[1], File: m[2]}
			f.Line, _ = strconv.Atoi(m[3])
			f.Col, _ = strconv.Atoi(m[4])
			out = append(out, f)
		} else if rest, ok := strings.CutPrefix(line, "    at async "); ok {
			out = append(out, asyncFrame{F: rest})
		}
	}
	return out
}

// compareAsync compares who waits with lines of Error.stack. These have the class of a method before its name.
func compareAsync(t *testing.T, way string, want, all []asyncFrame, end string) {
	t.Helper()
	var got []asyncFrame
	for _, f := range all {
		if f.Kind == "callback" { // V8 leaves them out
			continue
		}
		f.Kind, f.Address = "", ""
		if i := len(got); i < len(want) {
			w := &want[i]
			if strings.HasPrefix(w.F, "Promise.") { // Promise.all (index 2)
				got = append(got, f)
				continue
			}
			w.F = w.F[strings.LastIndex(w.F, ".")+1:]
			if strings.Contains(w.F, " (eval at ") {
				w.F, _, _ = strings.Cut(w.F, " ")
				w.File, f.File = "", ""
			}
			if w.F == "" {
				w.F = "(anonymous)"
			}
		}
		got = append(got, f)
	}
	if end == "cut" && way == "deep" && len(got) > 60 {
		want = want[:min(len(want), len(got))]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s, which ends as %s (-Error.stack +hotspan):\n%s", way, end, diff)
	}
}
