package main

import (
	"strings"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// trialOf is a program in one mode, and how its profiles are judged.
type trialOf struct {
	name    string
	script  string
	seconds float64
	flags   []string // of node
	env     []string
	rules   []string // of hotspan record
	judge   func(*row, []judge.Sample, *truth.Log)
	peer    bool // node --cpu-prof can be judged too
}

// cases lists what is run on a version of Node.js.
func cases(v nodes.Version) []trialOf {
	var out []trialOf
	for _, mode := range []string{"plain", "alloc", "double", "kinds", "churn"} {
		out = append(out, trialOf{
			name: "functions " + mode, script: "functions.js", seconds: 10, flags: []string{"--expose-gc"},
			env: []string{"MODE=" + mode}, judge: judgeFunctions, peer: true,
		})
	}
	for _, tier := range trial.Tiers {
		if flags, ok := tier.Flags(v); ok {
			out = append(out, trialOf{
				name: "tiers " + tier.Name, script: "tiers.js", seconds: 5, flags: flags,
				env: []string{"TIER=" + tier.Name}, judge: judgeTiers, peer: true,
			})
		}
	}
	frame, _ := v.AsyncContextFrame()
	for mode, more := range map[string][]string{"plain": nil, "gc": {"--max-semi-space-size=1"}} {
		out = append(out, trialOf{
			name: "requests " + mode, script: "requests.js", seconds: 10, flags: append(more, frame...),
			env: []string{"MODE=" + mode}, rules: judge.Flags(judge.StoreRules), judge: judgeRequests,
		})
	}
	return append(out, trialOf{name: "mixed", script: "mixed.js", seconds: 25, judge: judgeMixed, peer: true})
}

func judgeFunctions(r *row, samples []judge.Sample, l *truth.Log) {
	f := judge.CompareFunctions(samples, l)
	r.right, r.line, r.column, r.leafLine = f.Right, f.Line, f.Column, f.LeafLine
	r.wrong = judge.Share{Part: f.Wrong, Whole: f.Named.Part + f.Callers.Whole}
	r.callers, r.edge = f.Callers, f.AtEdge()
	r.examples = append(r.examples, f.Examples.List()...)
}

func judgeTiers(r *row, samples []judge.Sample, l *truth.Log) {
	judgeFunctions(r, samples, l)
	c := judge.CompareChains(samples, l)
	r.inlined, r.tier = c.Whole, c.Tier
}

func judgeRequests(r *row, samples []judge.Sample, l *truth.Log) {
	v := judge.CompareLabels(samples, l, judge.RequestLabels)
	missing := v.Right.Whole - v.Right.Part - v.Wrong
	r.wrongLabels = judge.Share{Part: v.Wrong + v.Outside, Whole: v.Right.Whole}
	r.missingLabels = judge.Share{Part: max(missing, 0), Whole: v.Right.Whole}
	r.gcLabels = v.GC
	for what, n := range v.Missing {
		r.note("%d samples without %s", n, strings.ReplaceAll(what, " ", ", "))
	}
	r.examples = append(r.examples, v.Examples.List()...)
}

func judgeMixed(r *row, samples []judge.Sample, l *truth.Log) {
	v := judge.Within(samples, l, "times")
	r.right, r.edge = v.Right, v.AtEdge()
	r.examples = append(r.examples, v.Examples.List()...)
}
