package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestCallersLines: a function that the interpreter runs is at the line of its call, whatever line it was at when the
// same functions were on the stack before. Its frame is in V8's code for all functions, or, with options that tell perf
// of each function, in a copy of its own.
func TestCallersLines(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{
		"shared code": nil,
		"copies": {"--interpreted-frames-native-stack", "--perf-basic-prof", "--no-logfile-per-isolate",
			"--logfile=/dev/null"},
	} {
		t.Run(name, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				const enough = 200
				var right judge.Share
				untilEnough(t, func(times int) bool {
					right = judge.Share{}
					for _, s := range recordLines(t, node, options, 60*times) {
						if s.Labels["how"] == "calls" {
							countCaller(&right, s)
						}
					}
					return right.Whole >= enough
				})
				atLeast(t, right, "callers at their line", 100, enough)
			})
		})
	}
}

// recordLines records lines.js in the interpreter; it works for so many ms at a time.
func recordLines(t *testing.T, node string, options []string, each int) []judge.Sample {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.jsonl")
	command := []string{"record", "-F", "499", "-o", file, "--label", "line=line", "--label", "how=how", "--", node,
		"--no-opt", "--no-sparkplug"}
	if exec.Command(node, "--no-maglev", "-e", "0").Run() == nil {
		command = append(command, "--no-maglev")
	}
	command = append(append(command, options...), "../programs/lines.js", fmt.Sprint(each))
	t.Logf("%s", run(t, command...).Stderr)
	samples := readSamples(t, file)
	if len(samples) > 0 {
		os.Remove(fmt.Sprintf("/tmp/perf-%d.map", samples[0].PID)) // of --perf-basic-prof
	}
	return samples
}

// countCaller counts whether the function that calls is at the line that the label says.
func countCaller(right *judge.Share, s judge.Sample) {
	for i, f := range s.Stack {
		if f.F == "calls" && i > 0 && s.Stack[i-1].F == "burn" {
			right.Count(fmt.Sprint(f.Line) == fmt.Sprint(s.Labels["line"]))
		}
	}
}

// TestInterpretedLines: what the interpreter does is at its line, where nothing is called, too: it notes where it is
// only before a call.
func TestInterpretedLines(t *testing.T) {
	t.Parallel()
	const loopLines, enough = 4, 200 // of a loop from the line before that of the label on
	eachNode(t, func(t *testing.T, node string) {
		var inside, atWork judge.Share
		untilEnough(t, func(times int) bool {
			inside, atWork = judge.Share{}, judge.Share{}
			for _, s := range recordLines(t, node, nil, 60*times) {
				line, _ := strconv.Atoi(fmt.Sprint(s.Labels["line"]))
				at := leafIn(s, "loops")
				if s.Labels["how"] != "loops" || at == nil {
					continue
				}
				inside.Count(at.Line >= line-2 && at.Line < line-2+loopLines)
				atWork.Count(at.Line == line)
			}
			return inside.Whole >= enough
		})
		// Around a loop there are twenty bytecodes, of some million. In it six of seven are at one line.
		atLeast(t, inside, "inside the loop that runs", 99, enough)
		atLeast(t, atWork, "where it works", 60, enough)
	})
}

// leafIn is the youngest JavaScript frame of a sample if it is of a function.
func leafIn(s judge.Sample, function string) *judge.Frame {
	if all := s.JS(); len(all) > 0 && all[0].F == function {
		return &all[0]
	}
	return nil
}
