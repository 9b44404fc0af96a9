package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
)

// TestHoard: what a process may make large does not make hotspan large. Without a bound, a function of WebAssembly with
// a long table of positions and scripts with millions of lines took more than 2 GB each.
func TestHoard(t *testing.T) {
	draw.Quarter(t, seldom)
	for _, mode := range []string{"wasm", "lines"} {
		t.Run(mode, func(t *testing.T) {
			p := start(t, node24(t), "hoard.js", nil, []string{"MODE=" + mode})
			var account struct{ Written, Memory int64 }
			printJSON(t, &account, "record", "-p", strconv.Itoa(p.PID), "-d", "10s", "-F", "999", "--json", "-o",
				filepath.Join(t.TempDir(), "x.otlp"))
			t.Logf("%d samples, %d MiB", account.Written, account.Memory>>20)
			if account.Written == 0 || account.Memory > 400<<20 {
				t.Errorf("%d samples, %d MiB", account.Written, account.Memory>>20)
			}
		})
	}
}

// TestMemoryIsGivenBack: an agent that is short of memory gives back what it knows of a process, which evaluates other
// functions all the time.
func TestMemoryIsGivenBack(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	start(t, node24(t), "hoard.js", nil, []string{"MODE=templates", "ROLE=templates"})
	a := startAgent(t, "--env", "ROLE=templates", "--rate", "999", "--period", "1s", "--memory-mib", "64")
	most := 0
	for end := time.Now().Add(25 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		most = max(most, anonymous(t, a.Process.Pid))
	}
	t.Logf("at most %d MiB", most>>10)
	if most > 128<<10 {
		t.Errorf("at most %d MiB of memory, with a limit of 64", most>>10)
	}
	a.waitFor(t, "memory is short, less is kept", 1)
	a.stop(t)
}

// anonymous is how much anonymous memory of a process is resident, in KiB.
func anonymous(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "RssAnon:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		t.Fatalf("process %d has no RssAnon", pid)
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
