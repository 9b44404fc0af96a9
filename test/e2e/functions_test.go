package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth"
)

// verdict is the comparison of samples with the truth.
type verdict struct {
	right, leafLine, callers, callerLine, callerColumn, inlined share
	wrong                                                       int
	edge                                                        int // samples at the moment of a call
}

// compare judges each sample that lies inside an interval of the truth. examples are told to the log.
func compare(t *testing.T, samples []sample, l *truth.Log) verdict {
	var v verdict
	for i := range samples {
		s := &samples[i]
		want, ok := l.AtUnix(s.T, s.TID)
		if !ok || len(want.Stack) == 0 {
			continue
		}
		v.judge(t, s, want.Stack, nearEdge(want, l.Mono(s.T)))
	}
	return v
}

// vague is how far from the edges of an interval the truth may be wrong: the program reads the clock between two calls,
// and before it goes on it may have to wait for a CPU, for a collection or for the compiler.
const vague = 300 * time.Microsecond

func nearEdge(i truth.Interval, mono int64) bool {
	return mono < i.Start+int64(vague) || mono >= i.End-int64(vague)
}

// judge compares the JavaScript frames of a sample with those that the program says ran. Where the truth is vague,
// samples that contradict it are counted apart.
func (v *verdict) judge(t *testing.T, s *sample, want []truth.Frame, near bool) {
	js := s.js()
	if len(js) > 0 && (strings.HasPrefix(js[0].File, "node:") || atEdge(js[0], want) || enters(s, js[0], want)) {
		v.edge++
		return
	}
	if len(js) == 0 || js[0].isUnknown() {
		if v.right.whole-v.right.part < 3 {
			t.Logf("not named, want %+v\n%v", want[0], s)
		}
		v.right.count(false)
		return
	}
	leaf := js[0].is(want[0].Function, want[0].File)
	if near && !leaf {
		v.edge++
		return
	}
	v.right.count(leaf)
	if !leaf {
		v.wrong++
		if v.wrong <= 5 {
			t.Logf("wrong leaf, want %+v\n%v", want[0], s)
		}
		return
	}
	line := js[0].Line >= want[0].First && js[0].Line <= want[0].Last
	if !line && v.leafLine.whole-v.leafLine.part < 5 {
		t.Logf("leaf line, want %+v\n%v", want[0], s)
	}
	v.leafLine.count(line)
	for i, w := range want[1:] {
		if i+1 >= len(js) || js[i+1].isUnknown() {
			v.callers.count(false)
			break // what comes after it stands elsewhere
		}
		v.judgeCaller(t, s, js[i+1], w)
	}
}

// atEdge reports whether the leaf's caller is at the call of the leaf or in the statement before or after it, which read
// the clock: V8 may compile, link or collect there for longer than truth.Guard.
func atEdge(got frame, want []truth.Frame) bool {
	return len(want) > 1 && got.is(want[1].Function, want[1].File) && got.Line >= want[1].Line-1 && got.Line <= want[1].Line+1
}

// enters reports whether V8 compiles a function that is being called and has no frame yet.
func enters(s *sample, got frame, want []truth.Frame) bool {
	return s.State == "compiler" && !got.is(want[0].Function, want[0].File)
}

func (v *verdict) judgeCaller(t *testing.T, s *sample, got frame, want truth.Frame) {
	same := got.is(want.Function, want.File)
	v.callers.count(same)
	if !same {
		v.wrong++
	} else {
		v.callerLine.count(got.Line == want.Line)
		v.callerColumn.count(got.Line == want.Line && got.Col == want.Column)
	}
	if (!same || got.Line != want.Line) && v.callerLine.whole-v.callerLine.part+v.wrong < 5 {
		t.Logf("caller, want %+v\ngot %+v of %v", want, got, s)
	}
}

// TestFunctions: two hundred functions run in random order; each sample must name the one that ran, and its caller.
func TestFunctions(t *testing.T) {
	for _, mode := range []string{"plain", "alloc", "churn"} {
		t.Run(mode, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				p := start(t, node, "functions.js", []string{"--expose-gc"}, []string{"MODE=" + mode, "DURATION_MS=12000"})
				samples := record(t, p.pid, 997, 10*time.Second)
				v := compare(t, samples, p.truth(t))
				v.right.atLeast(t, "leaf function right", 99, 3000)
				v.leafLine.atLeast(t, "leaf line inside the function", 99, 3000)
				v.callers.atLeast(t, "caller right", 99, 3000)
				v.callerLine.atLeast(t, "caller's line right", 99, 3000)
				v.callerColumn.atLeast(t, "caller's column right", 99, 3000)
				if v.wrong > 0 {
					t.Errorf("%d wrong functions, want none", v.wrong)
				}
				reach(t, samples, p.pid)
				share{len(samples) - v.edge, len(samples)}.atLeast(t, "samples that the clock tells", 99.5, 3000)
			})
		})
	}
}

// reach checks what is true of all samples of a main thread.
func reach(t *testing.T, samples []sample, pid int) {
	var root, named share
	for _, s := range samples {
		if s.TID != pid {
			continue
		}
		root.count(s.Stop == "root")
		ok := true
		for _, f := range s.js() {
			ok = ok && !f.isUnknown()
		}
		named.count(ok)
	}
	root.atLeast(t, "to the thread's first frame", 99, 1000)
	named.atLeast(t, "all JavaScript named", 99, 1000)
}
