package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// TestFrameRemoved: baseline code returns by a builtin that removes its frame. Meanwhile the function is named, in its
// tier, and at no line rather than at that of another call of it.
func TestFrameRemoved(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	sparkplug := trial.Tiers[slices.IndexFunc(trial.Tiers, func(t trial.Tier) bool { return t.Name == "sparkplug" })]
	eachNode(t, func(t *testing.T, node string) {
		flags, _ := sparkplug.Flags(versionOf(node))
		const enough = 40
		var tier, line judge.Share
		untilEnough(t, func(times int) bool {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			command := append([]string{"record", "-F", "1997", "-o", file, "--", node}, flags...)
			t.Logf("%s", run(t, append(command, "../programs/frame_removed.js", fmt.Sprint(3000*times))...).Stderr)
			tier, line = removedFrames(readSamples(t, file))
			return tier.Whole >= enough
		})
		atLeast(t, tier, "frames that are removed, in their tier", 99, enough)
		atLeast(t, line, "of the younger of two, not at the call", 100, enough/4)
	})
}

// removedFrames counts frames of the function that are removed by a builtin.
func removedFrames(samples []judge.Sample) (tier, line judge.Share) {
	const call = 13 // line of frame_removed.js
	for _, s := range samples {
		at := slices.IndexFunc(s.Stack, func(f judge.Frame) bool { return f.F == "BaselineLeaveFrame" })
		if at < 0 || len(s.Stack) < at+3 || s.Stack[at+1].F != "deeper" {
			continue
		}
		tier.Count(s.Stack[at+1].Tier == "sparkplug")
		if s.Stack[at+2].F == "deeper" {
			line.Count(s.Stack[at+1].Line != call)
		}
	}
	return tier, line
}
