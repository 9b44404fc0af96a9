package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestAsmJS: functions of asm.js have their names, and no line: V8 tells where a function is in the module that it made
// of them, not where in the source.
func TestAsmJS(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const enough = 100
		var named, unplaced judge.Share
		untilEnough(t, func(times int) bool {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			r := run(t, "record", "-F", "499", "-o", file, "--", node, "../programs/asm_js.js", fmt.Sprint(1500*times))
			t.Logf("%s", r.Stderr)
			named, unplaced = judge.Share{}, judge.Share{}
			for _, s := range readSamples(t, file) {
				for i, f := range s.Stack {
					if f.F == "outer" && i > 0 {
						named.Count(s.Stack[i-1].F == "inner" && f.Kind == "wasm")
						unplaced.Count(f.Line == 0 && s.Stack[i-1].Line == 0)
					}
				}
			}
			return named.Whole >= enough
		})
		atLeast(t, named, "in both functions", 95, enough)
		atLeast(t, unplaced, "at no line", 100, enough)
	})
}
