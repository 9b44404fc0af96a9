package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandBegins: a command begins when samples are taken, and never if they cannot be.
func TestCommandBegins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	events, ran := filepath.Join(dir, "events"), filepath.Join(dir, "ran")
	const rounds = 5
	for range rounds {
		run(t, "record", "-o", filepath.Join(dir, "out.jsonl"), "--", "sh", "-c",
			`ls -l /proc/$PPID/fd | grep -c perf_event > "$0"`, events)
		n, err := os.ReadFile(events)
		if err != nil || strings.TrimSpace(string(n)) == "0" {
			t.Errorf("hotspan had %s perf events when the command began, %v", n, err)
		}
		r := run(t, "record", "-F", "1000000000", "-o", filepath.Join(dir, "out.jsonl"), "--", "touch", ran)
		if _, err := os.Stat(ran); err == nil || r.Code == 0 {
			t.Errorf("exit code %d, and the command has run: %v\n%s", r.Code, err == nil, r.Stderr)
		}
	}
}
