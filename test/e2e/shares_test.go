package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestShares: the portions of functions and requests in the samples are those in the CPU time, by the program's clock.
func TestShares(t *testing.T) {
	t.Parallel()
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		p := start(t, node, "shares.js", append(flags, "--single-threaded"), nil)
		samples := recordEnough(t, p.PID, 1997, 3000, 4*time.Second, "--label", "endpoint=endpoint")
		l := p.truth(t)
		portions(t, "function", judge.Counted(samples, burner),
			judge.Spent(samples, l, func(i truth.Interval) string { return i.Stack[0].Function }))
		portions(t, "request", judge.Counted(samples, endpoint),
			judge.Spent(samples, l, func(i truth.Interval) string { return i.Label.Endpoint }))
	})
}

// burner returns the function of shares.js that a sample is in.
func burner(s *judge.Sample) string {
	for _, f := range s.JS() {
		if strings.HasSuffix(f.File, "/shares/burners.js") {
			return f.F
		}
	}
	return ""
}

func endpoint(s *judge.Sample) string {
	name, _ := s.Labels["endpoint"].(string)
	return name
}

func portions(t *testing.T, what string, counted map[string]int, spent map[string]float64) {
	t.Helper()
	wrong, n := judge.Portions(counted, spent)
	t.Logf("%d samples by %s: %v", n, what, counted)
	for _, w := range wrong {
		t.Errorf("%s %s", what, w)
	}
	if n < 2000 {
		t.Errorf("only %d samples by %s, want 2000", n, what)
	}
}
