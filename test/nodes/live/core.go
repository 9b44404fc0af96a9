package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// NeedCores skips a test where the kernel does not leave cores in the working directory of what has died. That is a
// setting of the machine, which no test changes.
func NeedCores(t testing.TB) {
	t.Helper()
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if err != nil || strings.HasPrefix(string(pattern), "|") || strings.Contains(string(pattern), "/") {
		t.Skipf("the kernel does not leave cores in the working directory: core_pattern is %s", pattern)
	}
}

// Core runs a version of Node.js until it has died, and returns the core that the kernel has written, in a directory of
// the test's. Call NeedCores before.
func Core(t testing.TB, version string, args ...string) string {
	t.Helper()
	return CoreOf(t, Binary(t, version), args...)
}

// CoreOf is Core for any executable.
func CoreOf(t testing.TB, executable string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("bash", append([]string{"-c", `ulimit -c unlimited; exec "$0" "$@"`, executable}, args...)...)
	cmd.Dir = dir
	late := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	text, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("it has not died: %s", text)
	}
	cores, err := filepath.Glob(filepath.Join(dir, "core*"))
	if err != nil || len(cores) != 1 {
		t.Fatalf("cores %q, %v: %s", cores, err, text)
	}
	return cores[0]
}
