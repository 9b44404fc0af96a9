package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// runBeside is hotspan that has a script beside it from its first named sample on, which knows it as $hotspan.
func runBeside(t *testing.T, beside string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hotspan")
	script := "#!/bin/sh\n" + hotspan + ` "$@" -v 2>$0.said &
hotspan=$!
until grep -q "first named sample" $0.said || [ ! -e /proc/$hotspan/exe ]; do sleep 0.05; done
` + beside + `
wait $hotspan
cat $0.said >&2
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// seldomRun has hotspan run for a twentieth of a second in each half.
const seldomRun = `
while [ -e /proc/$hotspan/exe ]; do
	kill -STOP $hotspan
	sleep 0.45
	kill -CONT $hotspan
	sleep 0.05
done`

// TestNamedLate: hotspan has so little CPU that it names samples half a second later, when their code is gone and other
// code has taken its place. Names and lines may be missing then, none is wrong.
func TestNamedLate(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	const enough = 300
	for _, mode := range []string{"kinds", "churn"} {
		t.Run(mode, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				var v judge.Functions
				untilEnough(t, func(times int) bool {
					p := start(t, node, "functions.js", []string{"--expose-gc"}, []string{"MODE=" + mode})
					d := time.Duration(times) * 5 * time.Second
					samples := recordBy(t, runBeside(t, seldomRun), p.PID, 1997, d)
					v = judge.CompareFunctions(samples, p.truth(t))
					tell(t, v.Examples.List())
					t.Logf("leaf function right: %v, callers: %v, their lines: %v; not compared: %v", v.Right,
						v.Callers, v.Line, v.AtEdge())
					if v.Wrong > 0 || v.WrongLines > 0 {
						t.Errorf("%d functions and %d lines wrong, want none", v.Wrong, v.WrongLines)
					}
					return v.Right.Part >= enough
				})
				if v.Right.Part < enough || v.AtEdge().Percent() > 10 {
					t.Errorf("%d leaf functions right, want %d; not compared: %v, want 10 %%", v.Right.Part, enough,
						v.AtEdge())
				}
			})
		})
	}
}

// TestOutlived: what hotspan reads of code after a mark-compact may have died in it, until a sample in the code says
// that it has not. No other mark-compact comes.
func TestOutlived(t *testing.T) {
	t.Parallel()
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"--expose-gc", "--no-compact-code-space", "--no-memory-reducer"}
	p := start(t, node, "outlived.js", flags, nil)
	beside := fmt.Sprintf("kill -STOP $hotspan; kill -USR2 %d; sleep 1; kill -CONT $hotspan", p.PID)
	var hot, gone int
	for _, s := range recordBy(t, runBeside(t, beside), p.PID, 499, 5*time.Second) {
		of := func(name string) func(judge.Frame) bool { return func(f judge.Frame) bool { return f.F == name } }
		if slices.ContainsFunc(s.Stack, of("hot")) {
			hot++
			if slices.ContainsFunc(s.Stack, of("[code gone]")) {
				gone++
			}
		}
	}
	t.Logf("of %d samples in hot the code of %d was gone", hot, gone)
	if hot < 50 || 2*gone > hot {
		t.Errorf("the code of %d samples of %d was gone, want less than half of 50 or more", gone, hot)
	}
}
