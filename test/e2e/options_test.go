package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
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
	draw.Quarter(t, seldom)
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
				v := compare(t, samples[p.PID], p.truth(t))
				if v.Wrong > 0 {
					t.Errorf("%d wrong functions, want none", v.Wrong)
				}
				atLeast(t, v.Right, "leaf function right", 95, enough) // the programs share the CPUs with hotspan
				atLeast(t, v.LeafLine, "leaf line inside the function", 95, enough)
				atLeast(t, v.Line, "caller's line right", 100, enough)
				atLeast(t, judge.CompareReach(samples[p.PID], p.PID).Frames, "JavaScript frames named", 98, enough)
			})
		}
	})
}

// TestProbesOfMovedText: where the text of Node.js is not that of the file any more, no probe of the file would be hit,
// and hotspan says so.
func TestProbesOfMovedText(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const option = "--use-largepages=on"
		if said, err := exec.Command(node, option, "-e", "0").CombinedOutput(); err != nil || len(said) > 0 {
			return // this version has no such option, or does nothing with it
		}
		p := start(t, node, "functions.js", []string{option, "--expose-gc"}, nil)
		r := run(t, "record", "-p", strconv.Itoa(p.PID), "-d", "1s", "-o", filepath.Join(t.TempDir(), "out.jsonl"),
			"--probe", "uprobe::uv_fs_stat")
		if want := "probe uprobe::uv_fs_stat: " + node + ": the process has moved this code"; r.Code != 1 ||
			!strings.Contains(r.Stderr, want) {
			t.Errorf("exit code %d, want 1, and %q in:\n%s", r.Code, want, r.Stderr)
		}
	})
}

// TestProbesOfMovingText: of a command that moves its text while hotspan puts probes there the same is said, and it
// ends as it does alone: a breakpoint that is moved, too, would end it by SIGTRAP. Where the text stays, there are
// hits.
func TestProbesOfMovingText(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	eachNode(t, func(t *testing.T, node string) {
		const option = "--use-largepages=on"
		moves := true
		if said, err := exec.Command(node, option, "-e", "0").CombinedOutput(); err != nil || len(said) > 0 {
			moves = false // this version has no such option, or does nothing with it
		}
		slow := addon(t, node, "slow_start.c")
		for _, c := range []struct{ name, preload, option string }{
			{"at once", "", option}, {"slowly", slow, option}, {"without", slow, "--no-warnings"},
		} {
			t.Run(c.name, func(t *testing.T) {
				testMovingText(t, c.preload, node, c.option, moves && c.option == option)
			})
		}
	})
}

func testMovingText(t *testing.T, preload, node, option string, moves bool) {
	t.Helper()
	const opens = `const fs = require('fs'), end = Date.now() + 2000;
		const open = () => { fs.closeSync(fs.openSync('/dev/null')); if (Date.now() > end) clearInterval(t) };
		const t = setInterval(open, 2)`
	code := filepath.Join(t.TempDir(), "code")
	args := []string{"record", "-o", filepath.Join(t.TempDir(), "out.jsonl"), "--probe", onOpen, "--"}
	if preload != "" {
		args = append(args, "/bin/sh", "-c", `code=$0 preload=$1; shift; LD_PRELOAD=$preload "$@"; echo $? > "$code"`,
			code, preload)
	}
	r := run(t, append(args, node, option, "-e", opens)...)
	if ended, err := os.ReadFile(code); preload != "" && (err != nil || string(ended) != "0\n") {
		t.Errorf("the command ended with %q, %v", ended, err)
	}
	hits, _ := hitsOf(t, r.Stderr, onOpen)
	warned := strings.Contains(r.Stderr, "as node --use-largepages does")
	if warned != moves || (hits > 0) == moves {
		t.Errorf("%d hits, and %s", hits, r.Stderr)
	}
}
