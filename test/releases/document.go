package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The least shares of a release that works, in percent. What is missing below them is more than what a busy machine
// costs; nothing may be wrong.
const leastFunctions, leastLines, leastChains, leastLabels = 98, 99.5, 99, 98.5

// lacks says what does not work with a release; nothing if it works.
func (r Result) lacks() []string {
	if r.Failed != "" {
		return []string{"could not be tried: " + r.Failed}
	}
	out := slices.Concat(r.Wrong, r.Unknown)
	for _, c := range []struct {
		what  string
		of    counts
		least float64
	}{
		{"functions", r.Functions, leastFunctions}, {"callers' lines", r.Lines, leastLines},
		{"inlined functions", r.Chains, leastChains}, {"labels", r.Labels, leastLabels},
	} {
		switch {
		case c.of.All == 0:
			out = append(out, c.what+": not tried")
		case c.of.percent() < c.least:
			out = append(out, fmt.Sprintf("%s: %d of %d samples lack them", c.what, c.of.All-c.of.Right-c.of.Wrong,
				c.of.All))
		}
	}
	if n := r.Functions.Wrong; n > 0 {
		out = append(out, fmt.Sprintf("%d functions wrong", n))
	}
	if n := r.Labels.Wrong; n > 0 {
		out = append(out, fmt.Sprintf("%d samples with wrong labels", n))
	}
	return out
}

// percent is the share that is right.
func (c counts) percent() float64 { return 100 * float64(c.Right) / float64(max(c.All, 1)) }

// cell is that share, rounded down: 100 stands for all.
func (c counts) cell() string {
	if c.All == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g", math.Floor(c.percent()*100)/100)
}

// sentence matches what summary returns.
var sentence = regexp.MustCompile(`\d+ releases from [0-9.]+ to [0-9.]+, \w+ without a fault of hotspan`)

// summary is the sentence on releases that README has too.
func summary(results []Result) string {
	works := 0
	for _, r := range results {
		if len(r.lacks()) == 0 {
			works++
		}
	}
	which := "all"
	if works < len(results) {
		which = strconv.Itoa(works)
	}
	return fmt.Sprintf("%d releases from %s to %s, %s without a fault of hotspan", len(results), results[0].Node,
		results[len(results)-1].Node, which)
}

const head = `# Tested Node.js releases

hotspan was tried on %s.
Of each minor version, the first and the last release on npm (official x86-64 glibc builds) is tested.
` + "`sudo make releases`" + ` does it, 25 releases a run, and writes this page.

Each release runs programs of ` + "`test/programs`" + ` for ten seconds that write down what they do: two hundred
functions, chains of calls in each of V8's compilers, and a service with OpenTelemetry and an AsyncLocalStorage, with
its stores where Node keeps them by default. [docs/accuracy.md](accuracy.md#how-it-is-measured) says how profiles are
compared with that.

| column | |
|---|---|
| fields | fields of V8's layout that were compared with the process and right |
| functions | percent of the samples whose innermost function is right; the others lack it |
| lines | percent of the callers at the line that called |
| inlined | percent of the chains of inlined calls that are whole |
| labels | percent of the samples in requests that have all labels, from two seconds after the start on |

| Node | V8 | fields | functions | lines | inlined | labels | lacks |
|---|---|---|---|---|---|---|---|
`

// document is docs/support.md.
func document(results []Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, summary(results))
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s | %s |\n", r.Node, r.V8, r.Verified, r.Functions.cell(),
			r.Lines.cell(), r.Chains.cell(), r.Labels.cell(), strings.ReplaceAll(r.remarks(), "|", `\|`))
	}
	return b.String()
}

// remarks are what a release lacks, and what it does not survive by itself.
func (r Result) remarks() string {
	out := r.lacks()
	for _, c := range r.Crashes {
		out = append(out, "Node.js itself crashes in "+c)
	}
	return strings.Join(out, "; ")
}
