package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCrashLoop: with --wait a service that is not running, and that crashes each time it starts, is recorded.
func TestCrashLoop(t *testing.T) {
	t.Parallel()
	node, dir := node24(t), t.TempDir()
	script, out, said := filepath.Join(dir, "crashes.js"), filepath.Join(dir, "x.jsonl"), filepath.Join(dir, "said")
	const crashes = `function doomed() { while (process.cpuUsage().user < 1e6) for (let i = 0; i < 1e6; i++); }
		doomed(); throw new Error('crash');`
	if err := os.WriteFile(script, []byte(crashes), 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	h := exec.Command(hotspan, "record", "-v", "--wait", "--name", script, "-F", "499", "-o", out)
	h.Stderr = log
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	defer h.Process.Kill()
	crash := func() int {
		c := exec.Command(node, script)
		if err := c.Run(); c.ProcessState == nil || c.ProcessState.Success() {
			t.Fatalf("it has not crashed: %v", err)
		}
		return c.ProcessState.Pid()
	}
	until(t, func() bool {
		crash()
		text, err := os.ReadFile(said)
		return err != nil || strings.Contains(string(text), "first named sample")
	}, func() string { return "a first named sample" })
	first, second := crash(), crash()
	h.Process.Signal(syscall.SIGINT)
	if err := h.Wait(); err != nil {
		text, _ := os.ReadFile(said)
		t.Fatalf("%v\n%s", err, text)
	}
	count := map[int]int{}
	for _, s := range readSamples(t, out) {
		if len(s.Stack) > 0 && s.Stack[0].F == "doomed" {
			count[s.PID]++
		}
	}
	if count[first] < 100 || count[second] < 100 {
		t.Errorf("samples in doomed by pid %v, want of %d and %d", count, first, second)
	}
}
