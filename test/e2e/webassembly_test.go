package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestInlinedWebAssembly: two functions of WebAssembly take half of the time each, and what calls them takes none,
// inlined or not. Where hotspan cannot tell them apart it says so, by a frame that names what they are inlined into.
func TestInlinedWebAssembly(t *testing.T) {
	const unknown = "[both or inlined]"
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "webassembly.js", nil, nil)
		innermost := map[string]int{}
		whole := 0
		for _, s := range recordEnough(t, p.PID, 997, 1500, 2*time.Second) {
			i := slices.IndexFunc(s.Stack, func(f judge.Frame) bool { return f.Kind == "wasm" })
			if s.TID != p.PID || i < 0 || strings.Contains(s.Stack[i].F, " to ") {
				continue
			}
			innermost[s.Stack[i].F]++
			whole++
			if s.Stack[i].F == unknown && (i+1 == len(s.Stack) || s.Stack[i+1].F != "both") {
				t.Errorf("%s is not above both", unknown)
			}
		}
		t.Logf("innermost functions: %v", innermost)
		atLeast(t, judge.Share{Part: whole - innermost["both"], Whole: whole}, "not in both itself", 98, 1000)
		// What is not known belongs to one of the two, or to both of them.
		for _, name := range []string{"first", "second"} {
			atLeast(t, judge.Share{Part: innermost[name] + innermost[unknown], Whole: whole}, "in "+name, 45, 1000)
			atLeast(t, judge.Share{Part: whole - innermost[name], Whole: whole}, "not in "+name, 45, 1000)
		}
	})
}
