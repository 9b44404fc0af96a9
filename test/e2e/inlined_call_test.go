package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestInlinedCall: Maglev's code between two calls is not named after the function of the call before, which may be
// inlined and over, also where V8 keeps places of calls only, as in Node 24.0 to 24.19.
func TestInlinedCall(t *testing.T) {
	t.Parallel()
	runNodes(t, nodes.Versions(), func(t *testing.T, _ nodes.Version, node string) {
		flags := []string{"--maglev", "--no-turbofan"}
		if exec.Command(node, append(flags, "-e", "0")...).Run() != nil {
			return // it has no Maglev
		}
		const enough = 100
		var burns judge.Share
		untilEnough(t, func(times int) bool {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			command := append([]string{"record", "-F", "499", "-o", file, "--", node}, flags...)
			t.Logf("%s", run(t, append(command, "../programs/inlined_call.js", fmt.Sprint(1000*times))...).Stderr)
			burns = judge.Share{}
			for _, s := range readSamples(t, file) {
				countBurning(&burns, s.Stack)
			}
			return burns.Whole >= enough
		})
		// One call of five thousand rounds; and what is left of the start.
		atLeast(t, burns, "in the function that burns", 95, enough)
	})
}

// countBurning counts samples in the program's functions: whether the innermost, be it known or not, is the one that
// burns.
func countBurning(burns *judge.Share, stack []judge.Frame) {
	isJS := func(f judge.Frame) bool { return f.Kind == "js" || f.Kind == "jit" }
	stack = stack[max(slices.IndexFunc(stack, isJS), 0):]
	if slices.ContainsFunc(stack, func(f judge.Frame) bool { return f.F == "burns" || f.F == "calls" }) {
		burns.Count(stack[0].F == "burns")
	}
}
