package inspect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestFilter: of a core without the memory of the heap nobody is told that there are no objects, and no requests.
func TestFilter(t *testing.T) {
	if _, err := exec.LookPath("gcore"); err != nil {
		t.Skip("gdb is not installed")
	}
	list := versions()
	p := live.Start(t, list[len(list)-1].Version, "testdata/many.js")
	defer syscall.Kill(p.PID, syscall.SIGKILL)
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/coredump_filter", p.PID), []byte("0x10"), 0o644); err != nil {
		t.Fatal(err)
	}
	name, pid := filepath.Join(t.TempDir(), "core"), strconv.Itoa(p.PID)
	if text, err := exec.Command("gcore", "-o", name, pid).CombinedOutput(); err != nil {
		t.Fatalf("gcore: %v: %s", err, text)
	}
	for _, verb := range []string{"objects", "requests"} {
		text, err := exec.Command(hotspan, "inspect", name+"."+pid, verb).CombinedOutput()
		if err == nil || !strings.Contains(string(text), "nothing of V8's heap") {
			t.Errorf("%s: %v: %s", verb, err, text)
		}
	}
}
