package judge

import "github.com/hotspan/hotspan/test/truth"

// Chains is the comparison of samples of tiers.js with the code that ran.
type Chains struct {
	Tier   Share // leaf frames that say the tier that the flags made
	Whole  Share // where V8 inlines: stacks that have every function of the chain
	Marked Share // of those, stacks whose leaf's caller is marked as inlined

	Examples examples
}

// CompareChains judges each sample whose leaf is the true one. A sample has lost the rest of its chain if its leaf is
// one of the callers, at its call or at no known line or column: elsewhere a caller does something of its own.
func CompareChains(samples []Sample, l *truth.Log) (v Chains) {
	for i := range samples {
		want, ok := l.At(samples[i].Mono(l), samples[i].TID)
		js := samples[i].JS()
		if !ok || len(want.Stack) < 2 || len(js) < 2 {
			continue
		}
		if js[0].F != want.Stack[0].Function {
			if l.Header.Inlined && cut(js[0], want.Stack[1:]) {
				v.Whole.Count(false)
				v.Examples.add("no leaf", "want %+v\n%v", want.Stack, &samples[i])
			}
			continue
		}
		v.Tier.Count(js[0].Tier == l.Header.Tier)
		if !l.Header.Inlined {
			continue
		}
		n := 0
		for n < min(len(want.Stack), len(js)) && js[n].Is(want.Stack[n].Function, want.Stack[n].File) {
			n++
		}
		v.Whole.Count(n == len(want.Stack))
		if n < len(want.Stack) {
			v.Examples.add("chain", "want %+v\n%v", want.Stack, &samples[i])
		}
		v.Marked.Count(js[1].Inlined)
	}
	return v
}

// cut reports whether a leaf is one of the callers, at its call.
func cut(leaf Frame, callers []truth.Frame) bool {
	for _, c := range callers {
		atCall := leaf.Line == c.Line && (leaf.Col == c.Column || leaf.Col == 0)
		if leaf.Is(c.Function, c.File) && (atCall || leaf.Line == 0) {
			return true
		}
	}
	return false
}
