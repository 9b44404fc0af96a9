package e2e

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestKinds: for each kind of function, samples have the stack of an Error, from the leaf to the last caller: names,
// files, lines and columns, builtins between them included.
func TestKinds(t *testing.T) {
	runNodes(t, nodes.Versions(), func(t *testing.T, _ nodes.Version, node string) { checkKinds(t, node) })
}

func checkKinds(t *testing.T, node string) {
	j := judgeKinds(t, node)
	for name, s := range j.kinds {
		if isLow(s) {
			t.Errorf("%s: %v samples right", name, s)
		}
	}
	atLeast(t, j.all, "whole stack right", rightStacks, 1000)
	atLeast(t, j.leafLine, "leaf line right", 99.5, 1000)
	atLeast(t, j.patterns, "pattern of the regular expression", rightPatterns, 10)
	if len(j.kinds) < 100 {
		t.Errorf("%d kinds of function, want more than 100", len(j.kinds))
	}
}

// TestOptimisedWebAssembly: where all WebAssembly is compiled by TurboFan, which inlines one of its functions into
// another since V8 12.9, stacks are as they are in TestKinds.
func TestOptimisedWebAssembly(t *testing.T) {
	eachNode(t, func(t *testing.T, node string) {
		j := judgeKinds(t, node, "--no-liftoff")
		for name, s := range j.kinds {
			if strings.HasPrefix(name, "wasm") && isLow(s) {
				t.Errorf("%s: %v samples right", name, s)
			}
		}
	})
}

// TestBuiltins: while a function calls a builtin of V8, which mostly has no frame of its own, samples have the stack as
// in TestKinds, and the leaf's line.
func TestBuiltins(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Setenv("PARTS", "builtins")
	t.Setenv("MILLISECONDS", "30")
	eachNode(t, func(t *testing.T, node string) {
		j := judgeKinds(t, node)
		atLeast(t, j.all, "whole stack right", 99.5, 1000)
		atLeast(t, j.leafLine, "leaf line right", 100, 1000)
		atLeast(t, j.hasLine, "leaf with a line", 99, 1000)
		if len(j.kinds) != 50 {
			t.Errorf("%d kinds of builtins, want 50", len(j.kinds))
		}
	})
}

// Which percentage of stacks, and of patterns, are right at least.
const rightStacks, rightPatterns = 99, 99

// judgeKinds records a run of kinds.js, and a longer one if this gives too few samples: in all, or of a kind of which
// many are not right. Each function is deoptimised now and then, which a few samples cannot tell from a kind that is
// not named. So it does where too few stacks or patterns are right in all, since other programs may have kept hotspan
// from reading names in time. Nothing may be wrong in any of the runs.
func judgeKinds(t *testing.T, node string, flags ...string) (j *kindsJudge) {
	t.Helper()
	const enough, enoughOfAKind = 2000, 100
	untilEnough(t, func(times int) bool {
		t.Setenv("ROUNDS", strconv.Itoa(3*times))
		samples, l := recordCommand(t, 1997, append(append([]string{node}, flags...), "../programs/kinds.js")...)
		j = &kindsJudge{t: t, kinds: map[string]*judge.Share{}}
		for i := range samples {
			want, ok := l.At(samples[i].Mono(l), samples[i].TID)
			if !ok {
				continue
			}
			near := judge.NearEdge(want, samples[i].Mono(l))
			j.told.Count(!near)
			if !near {
				j.judge(&samples[i], want)
			}
		}
		if j.wrong > 0 {
			t.Errorf("%d wrong frames, want none", j.wrong)
		}
		// An interval takes 8 ms, of which 0.5 ms are near its edges: 6 %, and more if others have the CPU in between.
		atLeast(t, j.told, "samples that are not near an edge", 80, 1000)
		few := len(samples) < enough || j.all.Percent() < rightStacks || j.patterns.Percent() < rightPatterns
		for name, s := range j.kinds {
			if isLow(s) && s.Whole < enoughOfAKind {
				t.Logf("%s: %v samples right: too few to tell", name, s)
				few = true
			}
		}
		return !few
	})
	return j
}

// isLow reports whether too many samples of a kind are not right.
func isLow(s *judge.Share) bool { return s.Whole > 5 && s.Percent() < 80 }

// kindsJudge compares samples with the truth, kind by kind.
type kindsJudge struct {
	t                       *testing.T
	kinds                   map[string]*judge.Share
	all, leafLine, patterns judge.Share
	hasLine                 judge.Share // leaves that have one
	told                    judge.Share // samples that are not at the edges of intervals
	wrong                   int
}

func (j *kindsJudge) judge(s *judge.Sample, want truth.Interval) {
	got := written(s.Stack)
	if len(got) > 0 && (strings.HasSuffix(got[0].File, "/meter.js") || strings.HasPrefix(got[0].File, "node:")) {
		return // a look at the clock
	}
	if j.kinds[want.Name] == nil {
		j.kinds[want.Name] = &judge.Share{}
	}
	why := j.differs(s.Stack, got, want.Stack)
	if why == "" {
		j.hasLine.Count(got[0].Line != 0)
	}
	if why == "" && got[0].Line != 0 {
		j.leafLine.Count(got[0].Line == want.Stack[0].First)
	}
	if i := slices.IndexFunc(s.Stack, func(f judge.Frame) bool { return f.Kind == "regexp" }); i >= 0 {
		name := s.Stack[i].F
		right := name == "[regexp "+want.Pattern+"]"
		if j.patterns.Count(right); !right && name != "[regexp]" {
			j.t.Logf("a regular expression is %s, want %s", name, want.Pattern)
			j.wrong++
		}
	}
	j.kinds[want.Name].Count(why == "")
	j.all.Count(why == "")
	if why != "" && j.kinds[want.Name].Whole-j.kinds[want.Name].Part <= 1 {
		j.t.Logf("%s: %s of\n\t%s", want.Name, why, stackText(s.Stack))
	}
}

func stackText(stack []judge.Frame) string {
	var lines []string
	for _, f := range stack {
		lines = append(lines, fmt.Sprintf("%s %s:%d:%d %s %s", f.F, f.File, f.Line, f.Col, f.Kind, f.Tier))
	}
	return strings.Join(lines, "\n\t")
}

// written returns the frames of a stack that have a source.
func written(stack []judge.Frame) []judge.Frame {
	var out []judge.Frame
	for _, f := range stack {
		if f.Kind == "js" || f.Kind == "wasm" && !strings.HasPrefix(f.F, "[") || f.Kind == "jit" {
			out = append(out, f)
		}
	}
	return out
}

// differs says how a stack differs from the truth. It is empty if it does not.
func (j *kindsJudge) differs(stack, got []judge.Frame, want []truth.Frame) string {
	between := "" // the builtin above the next frame
	for i := 0; len(want) > 0; want = want[1:] {
		w := want[0]
		if w.Builtin {
			between = w.Function
			continue
		}
		switch {
		case i == len(got):
			return fmt.Sprintf("%+v is missing", w)
		case got[i].IsUnknown() || got[i].Kind == "jit":
			return "a frame that is not known"
		case i == 0 && strings.HasPrefix(w.File, "wasm:") && (got[i].Kind == "js" || isCaller(got[i], want[1:])):
			return "between two calls"
		case !isFrame(got[i], w):
			j.wrong++
			return fmt.Sprintf("got %+v, want %+v", got[i], w)
		case w.Line != 0 && (got[i].Line != w.Line || got[i].Col != w.Column):
			return fmt.Sprintf("got %+v, want it at %d:%d", got[i], w.Line, w.Column)
		case between != "" && !hasBuiltin(stack, between):
			return "there is no builtin " + between
		}
		i, between = i+1, ""
		if len(want) == 1 && i < len(got) {
			return fmt.Sprintf("%+v is too much", got[i])
		}
	}
	return ""
}

// isCaller reports whether a frame is one of some callers: a chain of calls is at times sampled before the last of them
// is made, or after it has returned.
func isCaller(got judge.Frame, callers []truth.Frame) bool {
	return slices.ContainsFunc(callers, func(c truth.Frame) bool { return isFrame(got, c) })
}

// hasBuiltin reports whether something that is not written in JavaScript has a name in its own.
func hasBuiltin(stack []judge.Frame, name string) bool {
	return slices.ContainsFunc(stack, func(f judge.Frame) bool {
		return f.Kind != "js" && strings.Contains(strings.ToLower(f.F), strings.ToLower(name))
	})
}

// isFrame compares function and file. V8 keeps names that are in the source. Only the function object has names that
// are made with the function, from a symbol or by Node.js.
func isFrame(got judge.Frame, want truth.Frame) bool {
	name := want.Function
	if name == "" || name == "eval" {
		name = "(anonymous)"
	}
	if len(name) > 1024 {
		name = name[:1024] + "…"
	}
	return got.File == fileOf(want) && (got.F == name || got.F == stored[want.Function])
}

// stored is what V8 keeps of functions whose names are made with them, as node --cpu-prof shows it: the name that V8
// infers from the source, or nothing.
var stored = map[string]string{
	"get": "Proxy", "set": "Proxy", "has": "Proxy", "apply": "Proxy", "construct": "Proxy", "ownKeys": "Proxy",
	"[Symbol.iterator]": "iterable", "[Symbol.toPrimitive]": "(anonymous)",
}

var place = regexp.MustCompile(`\(([^()]+):(\d+):\d+\)`)

// fileOf returns a frame's file as hotspan shows it.
func fileOf(want truth.Frame) string {
	if m := place.FindStringSubmatch(want.Origin); m != nil {
		return "eval at " + m[1] + ":" + m[2]
	}
	if u, err := url.Parse(want.File); err == nil && u.Scheme == "file" {
		return u.Path
	}
	if len(want.File) > 4096 {
		return want.File[:4096] + "…"
	}
	return want.File
}
