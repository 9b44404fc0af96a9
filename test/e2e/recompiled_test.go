package e2e

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestRecompiled: V8 flushes the bytecode of a function and compiles it anew, to other bytecode. Its lines are those of
// the bytecode that runs.
func TestRecompiled(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{
		"interpreted": {"--no-opt", "--no-sparkplug"},
		"compiled":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				const enough = 100
				var known, right judge.Share
				untilEnough(t, func(times int) bool {
					known, right = linesOfRecompiled(t, node, options, 60*times)
					return right.Whole >= enough
				})
				atLeast(t, known, "samples with a line", 85, enough)
				// less than a microsecond of the 60 ms goes to the lines before and behind it
				atLeast(t, right, "right lines", 98, enough)
			})
		})
	}
}

// linesOfRecompiled records recompiled.js, which works for so many ms at a time. It returns how many samples have a
// line, and how many of these the right one.
func linesOfRecompiled(t *testing.T, node string, options []string, each int) (known, right judge.Share) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.jsonl")
	command := append([]string{"record", "-F", "199", "-o", file, "--label", "line=line", "--", node, "--expose-gc",
		"--stress-flush-code"}, options...)
	r := run(t, append(command, "../programs/recompiled.js", strconv.Itoa(each))...)
	t.Logf("%s", r.Stderr)
	for _, s := range readSamples(t, file) {
		for _, f := range s.JS() {
			if f.F != "work" || s.Labels["line"] == nil {
				continue
			}
			known.Count(f.Line > 0)
			if f.Line > 0 {
				right.Count(fmt.Sprint(f.Line) == fmt.Sprint(s.Labels["line"]))
			}
		}
	}
	return known, right
}
