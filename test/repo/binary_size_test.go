package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxBinary bounds what make build makes, in bytes. docs/cost.md says what fills it.
const maxBinary = 20_000_000

// TestBinarySize: the binary is small, and still says which build it is.
func TestBinarySize(t *testing.T) {
	out := filepath.Join(t.TempDir(), "hotspan")
	build := exec.Command("make", "--no-print-directory", "build", "OUT="+out)
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make build: %v: %s", err, text)
	}
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxBinary {
		t.Errorf("the binary has %d bytes, the limit is %d", info.Size(), maxBinary)
	}
	version, err := exec.Command(out, "--version").Output()
	said := string(version)
	if err != nil || !strings.HasPrefix(said, "hotspan ") || !strings.Contains(said, "BPF object ") {
		t.Errorf("hotspan --version says %q: %v", said, err)
	}
}
