package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
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

// TestCommandEnds: of a process that goes on, the recording takes as long as the command beside it.
func TestCommandEnds(t *testing.T) {
	t.Parallel()
	start := time.Now()
	r := run(t, "record", "-d", "60s", "-o", filepath.Join(t.TempDir(), "out.jsonl"), "-p", strconv.Itoa(os.Getpid()),
		"--", "sh", "-c", "sleep 1; exit 3")
	if took := time.Since(start); took > 50*time.Second || r.Code != 0 ||
		!strings.Contains(r.Stderr, "hotspan: the command has ended with exit status 3\n") {
		t.Errorf("%v, exit code %d: %s", took, r.Code, r.Stderr)
	}
}

// TestCommandFails: how a command has ended is said if it is not with exit code 0, and if it has ended by itself.
func TestCommandFails(t *testing.T) {
	t.Parallel()
	const said = "hotspan: the command has ended with "
	for _, c := range []struct{ limit, script, want string }{
		{"1h", "exit 3", "exit status 3\n"}, {"1h", "kill -9 $$", "signal: killed\n"}, {"1h", "true", ""},
		{"1s", "exec sleep 60", ""},
	} {
		r := run(t, "record", "--quiet", "-d", c.limit, "-o", filepath.Join(t.TempDir(), "out.jsonl"), "--", "sh",
			"-c", c.script)
		if _, how, _ := strings.Cut(r.Stderr, said); how != c.want || r.Code != 0 {
			t.Errorf("%s: exit code %d, %q, want %q", c.script, r.Code, r.Stderr, c.want)
		}
	}
}
