package e2e

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestInlinedWebAssembly: two functions of WebAssembly take half of the time each, and what calls them takes none,
// inlined or not. Where hotspan cannot tell them apart it says so, by a frame that names what they are inlined into.
func TestInlinedWebAssembly(t *testing.T) {
	t.Parallel()
	const unknown = "[both or inlined]"
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "webassembly.js", nil, nil)
		innermost := map[string]int{}
		whole := 0
		for _, s := range recordEnough(t, p.PID, 997, 1500, 2*time.Second) {
			i := slices.IndexFunc(s.Stack, func(f judge.Frame) bool { return f.Kind == "wasm" })
			if s.TID != p.PID || i < 0 || strings.Contains(s.Stack[i].F, " to ") {
				continue
			}
			innermost[s.Stack[i].F]++
			whole++
			if s.Stack[i].F == unknown && (i+1 == len(s.Stack) || s.Stack[i+1].F != "both") {
				t.Errorf("%s is not above both", unknown)
			}
		}
		t.Logf("innermost functions: %v", innermost)
		atLeast(t, judge.Share{Part: whole - innermost["both"], Whole: whole}, "not in both itself", 98, 1000)
		// What is not known belongs to one of the two, or to both of them.
		for _, name := range []string{"first", "second"} {
			atLeast(t, judge.Share{Part: innermost[name] + innermost[unknown], Whole: whole}, "in "+name, 45, 1000)
			atLeast(t, judge.Share{Part: whole - innermost[name], Whole: whole}, "not in "+name, 45, 1000)
		}
	})
}

// TestWebAssemblyInMap: what calls a function of WebAssembly is inlined, builtin and all, and V8 has no position of the
// call. From Node 22 on the deoptimiser's tables say what it is; before, the frame is said to be not known.
func TestWebAssemblyInMap(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "webassembly_map.js", nil, nil)
		known, whole := 0, 0
		for _, s := range recordEnough(t, p.PID, 997, 1000, 2*time.Second) {
			i := slices.IndexFunc(s.Stack, func(f judge.Frame) bool { return f.Kind == "js" || f.Kind == "native" })
			if s.TID != p.PID || i < 1 || s.Stack[0].Kind != "wasm" {
				continue
			}
			whole++
			switch f := s.Stack[i]; {
			case f.F == "each" && f.Line == 19:
				known++
			case f.Kind == "js" && !isGone(&s):
				t.Errorf("%s calls %s, in line %d", f.F, s.Stack[0].F, f.Line)
			}
		}
		if versionOf(node).Major() >= 22 {
			atLeast(t, judge.Share{Part: known, Whole: whole}, "called by each", 98, 500)
		}
	})
}

// TestCallsOfWebAssembly: what is between JavaScript and WebAssembly is code that V8 knows, with a frame or without.
func TestCallsOfWebAssembly(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "webassembly_calls.js", nil, nil)
		known, interpreted, whole := 0, 0, 0
		for _, s := range recordEnough(t, p.PID, 997, 1500, 2*time.Second) {
			i := slices.IndexFunc(s.Stack, func(f judge.Frame) bool { return f.F == "numbers" || f.F == "objects" })
			if s.TID != p.PID || i < 0 {
				continue
			}
			whole++
			if !slices.ContainsFunc(s.Stack[:i], judge.Frame.IsUnknown) {
				known++
			}
			if i > 0 && s.Stack[i-1].Tier == "ignition" {
				interpreted++
			}
		}
		if interpreted > 0 {
			t.Errorf("in %d of %d samples what they call is said to be interpreted", interpreted, whole)
		}
		atLeast(t, judge.Share{Part: known, Whole: whole}, "called by known code", 98, 1000)
	})
}

var withoutLines = regexp.MustCompile(`without lines (\d+)`)

// TestWebAssemblyThrownAway: code of WebAssembly that was thrown away before hotspan could name it has no name, which
// the closing lines count. No other module's function is named in its place.
func TestWebAssemblyThrownAway(t *testing.T) {
	draw.Quarter(t, seldom)
	eachNode(t, func(t *testing.T, node string) {
		t.Setenv("DURATION_MS", "4000")
		samples, l, closing := recordClosing(t, 1997, node, "--expose-gc", "../programs/webassembly_churn.js")
		named, lost := 0, 0
		for _, s := range samples {
			want, ok := l.At(s.Mono(l), s.TID)
			i := slices.IndexFunc(s.Stack, func(f judge.Frame) bool { return f.Kind == "wasm" })
			switch {
			case !ok || i < 0:
			case s.Stack[i].F == want.Stack[0].Function:
				named++
			case s.Stack[i].F == "[wasm]":
				lost++
			case !strings.HasPrefix(s.Stack[i].F, "["):
				t.Errorf("%s is named %s", want.Stack[0].Function, s.Stack[i].F)
			}
		}
		t.Logf("%d samples with the name, %d without", named, lost)
		atLeast(t, judge.Share{Part: named, Whole: named + lost}, "named", 40, 100)
		counted := 0
		if m := withoutLines.FindStringSubmatch(closing); m != nil {
			counted, _ = strconv.Atoi(m[1])
		}
		if counted < lost {
			t.Errorf("the closing lines count %d samples, want at least %d", counted, lost)
		}
	})
}
