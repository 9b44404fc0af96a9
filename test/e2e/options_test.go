package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// nodeOptions are options with which V8 or Node.js has other code than usual, or has it elsewhere.
var nodeOptions = map[string][]string{
	"a copy of the interpreter's entry for each function": {"--interpreted-frames-native-stack", "--perf-basic-prof",
		"--no-logfile-per-isolate", "--logfile=/dev/null"},
	"text and builtins in anonymous memory":  {"--use-largepages=on"},
	"builtins where the executable has them": {"--no-short-builtin-calls"},
	"no machine code":                        {"--jitless"},
}

// TestOptions: with each of some options that a version of Node.js knows, the two hundred functions have their names
// and lines, as they have without one.
func TestOptions(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		var programs []program
		var names []string
		for name, flags := range nodeOptions {
			if exec.Command(node, flags[0], "-e", "0").Run() != nil {
				continue // it does not know the option
			}
			p := launch(t, node, "functions.js", append(flags, "--expose-gc"), nil)
			t.Cleanup(func() { os.Remove(fmt.Sprintf("/tmp/perf-%d.map", p.Process.Pid)) }) // of --perf-basic-prof
			programs, names = append(programs, p), append(names, name)
		}
		for _, p := range programs {
			p.await(t)
		}
		samples := recordAll(t, programs, 997, 3*time.Second)
		for i, p := range programs {
			t.Run(names[i], func(t *testing.T) {
				shortLook(t, p, "functions", samples[p.PID])
				atLeast(t, judge.CompareReach(samples[p.PID], p.PID).Frames, "JavaScript frames named", 98, enough)
			})
		}
	})
}
