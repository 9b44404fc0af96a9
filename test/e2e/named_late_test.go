package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// seldomRun is hotspan that runs for a twentieth of a second in each half, from soon after its start on.
func seldomRun(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hotspan")
	script := "#!/bin/sh\n" + hotspan + ` "$@" &
hotspan=$!
sleep 1.5
while [ -e /proc/$hotspan/exe ]; do
	kill -STOP $hotspan
	sleep 0.45
	kill -CONT $hotspan
	sleep 0.05
done
wait $hotspan
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNamedLate: hotspan has so little CPU that it names samples half a second later, when their code is gone and other
// code has taken its place. Names and lines may be missing then, none is wrong.
func TestNamedLate(t *testing.T) {
	draw.Quarter(t, seldom)
	for _, mode := range []string{"kinds", "churn"} {
		t.Run(mode, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				p := start(t, node, "functions.js", []string{"--expose-gc"}, []string{"MODE=" + mode})
				samples := recordBy(t, seldomRun(t), p.PID, 1997, 5*time.Second)
				v := judge.CompareFunctions(samples, p.truth(t))
				tell(t, v.Examples.List())
				t.Logf("leaf function right: %v, callers: %v, their lines: %v; not compared: %v", v.Right, v.Callers,
					v.Line, v.AtEdge())
				if v.Right.Part < 300 || v.AtEdge().Percent() > 10 {
					t.Errorf("%d leaf functions right, want 300; not compared: %v, want 10 %%", v.Right.Part,
						v.AtEdge())
				}
				if v.Wrong > 0 || v.WrongLines > 0 {
					t.Errorf("%d functions and %d lines wrong, want none", v.Wrong, v.WrongLines)
				}
			})
		})
	}
}
