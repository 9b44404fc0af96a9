package e2e

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
)

// shells calls execve for a second, so that a program that attaches meets some of it, and then becomes a Node.js that
// is busy for five seconds of CPU time: to read its file takes some of them on a busy machine.
const shells = `
busy='function busy() { for (let u = {user: 0, system: 0}; u.user + u.system < 5e6; u = process.cpuUsage()); } busy()'
[ "$1" -gt 0 ] || exec "$NODE" -e "$busy"
sleep 0.03
exec sh -c "$SHELLS" sh $(($1 - 1))`

// TestExecveAtAttach: a process that was selected by its pid is profiled whatever it becomes, also while hotspan reads
// it.
func TestExecveAtAttach(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Setenv("NODE", node24(t))
	t.Setenv("SHELLS", shells)
	process := exec.Command("sh", "-c", shells, "sh", "30")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer process.Wait()
	file := filepath.Join(t.TempDir(), "out.otlp")
	said := run(t, "record", "-p", strconv.Itoa(process.Process.Pid), "-F", "199", "-o", file)
	if said.Code != 0 || strings.Contains(said.Stderr, "no such process") {
		t.Fatalf("ended with %d:\n%s", said.Code, said.Stderr)
	}
	var r struct {
		Functions []struct {
			Name  string
			Total int64
		}
	}
	printJSON(t, &r, "report", "--json", file)
	samples := int64(0)
	for _, f := range r.Functions {
		if f.Name == "busy" {
			samples = f.Total
		}
	}
	if samples < 199 {
		t.Errorf("%d samples of function busy, want those of one of its five seconds:\n%s", samples, said.Stderr)
	}
}
