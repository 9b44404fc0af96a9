package judge

import (
	"slices"
	"strings"

	"github.com/hotspan/hotspan/test/truth"
)

// Functions is the comparison of samples with the stacks that a program logged.
type Functions struct {
	Named      Share // samples whose leaf function has a name, right or wrong
	Right      Share // samples that have the leaf function right
	LeafLine   Share // of those, samples whose line lies inside the function
	Callers    Share // callers that are there and right
	Line       Share // of those, callers at the true line
	Column     Share // of those, callers at the true line and column
	Wrong      int   // functions that are there and are not the true ones
	WrongLines int   // of true functions: lines that are there and are not the true ones
	Edge       int   // samples at the moment of a call, which the truth does not tell
	Examples   examples
}

// AtEdge is the share of the samples in intervals that were not compared, of which TooVague says if it is too large.
func (v *Functions) AtEdge() Share { return Share{Part: v.Edge, Whole: v.Right.Whole + v.Edge} }

// CompareFunctions judges each sample inside an interval that has a stack.
func CompareFunctions(samples []Sample, l *truth.Log) Functions {
	var v Functions
	late := lateSamples(samples)
	for i := range samples {
		s := &samples[i]
		want, ok := l.At(s.Mono(l), s.TID)
		if !ok || len(want.Stack) == 0 {
			continue
		}
		v.judge(s, want.Stack, NearEdge(want, s.Mono(l)) || late[i] && inCaller(s.JS(), want.Stack))
	}
	return v
}

// inCaller reports whether the leaf is one of the true leaf's callers.
func inCaller(js []Frame, want []truth.Frame) bool {
	return len(js) > 0 && slices.ContainsFunc(want[1:], func(w truth.Frame) bool {
		return js[0].Is(w.Function, w.File)
	})
}

// judge compares the JavaScript frames of a sample with those that the program logged. Near the edges of an interval it
// counts samples that contradict the log separately.
func (v *Functions) judge(s *Sample, want []truth.Frame, near bool) {
	js := s.JS()
	// The leaf itself reads the clock at its edges: then it is the caller that is compared.
	if len(js) > 1 && js[0].F == clock && js[1].Is(want[0].Function, want[0].File) {
		js = js[1:]
	}
	if len(js) > 0 && (strings.HasPrefix(js[0].File, "node:") || atEdge(s, js[0], want) || enters(s, js[0], want)) {
		v.Edge++
		return
	}
	if len(js) == 0 || js[0].IsUnknown() {
		v.Named.Count(false)
		v.Right.Count(false)
		v.Examples.add("no function", "want %+v\n%v", want[0], s)
		return
	}
	leaf := js[0].Is(want[0].Function, want[0].File)
	if near && !leaf {
		v.Edge++
		return
	}
	v.Named.Count(true)
	v.Right.Count(leaf)
	if !leaf {
		v.Wrong++
		v.Examples.add("wrong leaf", "want %+v\n%v", want[0], s)
		return
	}
	line := js[0].Line >= want[0].First && js[0].Line <= want[0].Last
	v.LeafLine.Count(line)
	if !line {
		v.notLine("leaf line", want[0], js[0], s)
	}
	v.judgeCallers(s, js[1:], want[1:])
}

// atEdge reports whether the leaf's caller is at the call of the leaf or in the statement before or after it, which
// read the clock: V8 may compile, link or collect there for longer than truth.Guard. A caller further down may be in
// such a statement too, but not at its call, unless that is also where its own operator stands (x ^= f()).
func atEdge(s *Sample, got Frame, want []truth.Frame) bool {
	for i, w := range want[1:] {
		switch {
		case !got.Is(w.Function, w.File):
		case got.Line >= w.Line-1 && got.Line <= w.Line+1:
			return i == 0 || got.Line != w.Line || got.Col != w.Column || operates(s, got) || yields(s, got) ||
				called(s, got, "GeneratorPrototypeNext") || called(s, got, "ResumeGeneratorTrampoline")
		case i == 0 && got.Line == 0:
			return called(s, got, "BaselineLeaveFrame") || called(s, got, "BaselineOrInterpreterEnterAtNextBytecode")
		}
	}
	return false
}

// operates reports whether the leaf is a builtin that JavaScript code calls for an operator of its own: in these tiers
// nothing is inlined, so that no function can be missing between the two.
func operates(s *Sample, got Frame) bool {
	return s.Stack[0].Kind == "builtin" && (got.Tier == "ignition" || got.Tier == "sparkplug")
}

// yields reports whether a generator makes what it yields, which has V8 collect: it stands at the call whose result
// that is, and no function is missing.
func yields(s *Sample, got Frame) bool {
	i := slices.Index(s.Stack, got)
	return s.State == "gc" && i >= 0 && i+1 < len(s.Stack) && s.Stack[i+1].F == "GeneratorPrototypeNext"
}

// called reports whether a frame has called a builtin that does its work. GeneratorPrototypeNext resumes a generator,
// and makes its result then: the generator has a frame of its own, as it was called, and it is not one that is missing.
// ResumeGeneratorTrampoline, which optimised code calls instead, has not made the generator's frame yet.
// BaselineLeaveFrame removes the frame of code that returns, and no return address tells a line while it does. Until V8
// 11 BaselineOrInterpreterEnterAtNextBytecode goes on in a frame whose optimised code was dropped during a call, once
// the callee has returned; it keeps something else where the frame has its bytecode offset.
func called(s *Sample, got Frame, builtin string) bool {
	i := slices.Index(s.Stack, got)
	return i > 0 && s.Stack[i-1].Kind == "builtin" && s.Stack[i-1].F == builtin
}

// enters reports whether V8 is compiling a function that is called and has no frame yet, or begins to.
func enters(s *Sample, got Frame, want []truth.Frame) bool {
	compiles := s.State == "compiler" || called(s, got, "StartMaglevOptimizeJob") ||
		called(s, got, "StartTurbofanOptimizeJob")
	return compiles && !got.IsUnknown() && !got.Is(want[0].Function, want[0].File)
}

func (v *Functions) judgeCallers(s *Sample, got []Frame, want []truth.Frame) {
	for i, w := range want {
		if i >= len(got) || got[i].IsUnknown() {
			v.Callers.Count(false)
			v.Examples.add("no caller", "want %+v\n%v", w, s)
			return // what comes after it stands elsewhere
		}
		v.judgeCaller(s, got[i], w)
	}
}

func (v *Functions) judgeCaller(s *Sample, got Frame, want truth.Frame) {
	same := got.Is(want.Function, want.File)
	v.Callers.Count(same)
	if !same {
		v.Wrong++
		v.Examples.add("wrong caller", "want %+v\ngot %+v of %v", want, got, s)
		return
	}
	v.Line.Count(got.Line == want.Line)
	v.Column.Count(got.Line == want.Line && got.Col == want.Column)
	if got.Line != want.Line {
		v.notLine("caller's line", want, got, s)
	}
}

// notLine notes a line that is not the true one: it is wrong, if it is not missing.
func (v *Functions) notLine(of string, want truth.Frame, got Frame, s *Sample) {
	if got.Line != 0 {
		v.WrongLines++
		of = "wrong " + of
	}
	v.Examples.add(of, "want %+v\ngot %+v of %v", want, got, s)
}

// clock is the function with which test programs read the clock, after a job and before the next: a collection may run
// in it.
const clock = "hrtimeBigInt"

// Within counts the samples inside an interval, and those of them that have the interval's one function anywhere in the
// stack. between is the function that calls it in a loop: if that or the clock is the leaf, the truth is not known.
func Within(samples []Sample, l *truth.Log, between string) (v Functions) {
	for i := range samples {
		s := &samples[i]
		want, ok := l.At(s.Mono(l), s.TID)
		if !ok || len(want.Stack) != 1 {
			continue
		}
		v.judgeWithin(s, want.Stack[0], NearEdge(want, s.Mono(l)), between)
	}
	return v
}

func (v *Functions) judgeWithin(s *Sample, want truth.Frame, near bool, between string) {
	js := s.JS()
	found := slices.ContainsFunc(js, func(f Frame) bool { return f.Is(want.Function, want.File) })
	if !found && (near || len(js) > 0 && (js[0].F == between || js[0].F == clock)) {
		v.Edge++
		return
	}
	v.Right.Count(found)
	if !found {
		v.Examples.add("not in its job", "want %+v\n%v", want, s)
	}
}
