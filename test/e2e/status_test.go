package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/api"
)

// status returns what the agent says of itself, as lines and as JSON. The lines are asked for later: they have all that
// has happened by then.
func (a *runningAgent) status(t *testing.T) (text string, s *api.StatusResponse) {
	t.Helper()
	var out [2][]byte
	for i, more := range [][]string{{"--json"}, nil} {
		c := exec.Command(hotspan, append([]string{"status", "--socket", a.socket}, more...)...)
		var err error
		if out[i], err = c.Output(); err != nil {
			t.Fatal(err)
		}
	}
	s = &api.StatusResponse{}
	if err := json.Unmarshal(out[0], s); err != nil {
		t.Fatal(err)
	}
	return string(out[1]), s
}

// TestStatus: the agent says of each snapshot where it is: in the store, removed from it, or not written, and of a
// destination that takes none how many it will never get.
func TestStatus(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	disk := smallDisk(t)
	store := filepath.Join(disk, "store")
	a := startAgent(t, "--name", regexp.QuoteMeta(p.Log), "--period", "200ms", "--store", store, "--store-age", "1s",
		"--to", "file:///dev/null/%t.jsonl,name=down")
	var text string
	var s *api.StatusResponse
	until(t, func() bool { text, s = a.status(t); return s.FirstSequence >= 5 }, func() string { return text })
	if s.Removed != s.FirstSequence-1 {
		t.Errorf("%d removed, want those before the first of the store, %d", s.Removed, s.FirstSequence)
	}
	// the first snapshot is in the hands of the destination: it may get that after all
	if d := s.Destinations[0]; d.Removed != s.FirstSequence-2 || d.Waiting != s.LastSequence-s.FirstSequence+2 {
		t.Errorf("of %d to %d %v wait, and %v are removed", s.FirstSequence, s.LastSequence, d.Waiting, d.Removed)
	}
	for _, line := range []string{
		`(?m)^store: snapshots \d+ to \d+ \(removed \d+\)$`,
		`(?m)^down: failing, 0 samples of 0 snapshots delivered \(snapshots removed before \d+, snapshots waiting \d.*
    since \d{4}-\S+: .*/dev/null.*: not a directory$`,
	} {
		if !regexp.MustCompile(line).MatchString(text) {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
	for i := range 100 {
		stored, _ := filepath.Glob(filepath.Join(store, "*.otlp"))
		for _, name := range stored { // else the agent removes one for each that it writes
			os.Remove(name)
		}
		fill(t, filepath.Join(disk, fmt.Sprint(i)))
		time.Sleep(20 * time.Millisecond)
	}
	if text, s = a.status(t); s.Unwritten == 0 || !strings.Contains(text, "not written ") {
		t.Errorf("%d not written to a disk that is full:\n%s", s.Unwritten, text)
	}
	if s.Removed != s.FirstSequence-1 {
		t.Errorf("%d removed, the first of the store is %d", s.Removed, s.FirstSequence)
	}
}
