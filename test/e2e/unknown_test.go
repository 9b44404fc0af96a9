package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// TestUnknownV8: for a V8 without rules, hotspan tries those of earlier versions. The newest Node.js is changed to say
// that its V8 is 99.0. It is still profiled, and doctor distinguishes what was compared with the process from what is
// assumed.
func TestUnknownV8(t *testing.T) {
	t.Parallel()
	list := nodes.Thorough()
	path, err := nodes.Path(list[len(list)-1].Version)
	if err != nil {
		t.Fatal(err)
	}
	node := pretend(t, path, "99.0")
	p := start(t, node, "functions.js", []string{"--expose-gc"}, nil)
	d := doctor(t, hotspan, 0, "-p", strconv.Itoa(p.PID))
	for _, want := range []string{
		"is newer than 14.6, the newest that hotspan knows",
		"compared        Isolate.tls, ",
		// none of these can be compared with this process
		"assumed         ", "ScopeInfo.inferredNameBit", "JSMap.table",
	} {
		d.says(t, want)
	}
	if strings.Contains(d.stdout, "WRONG") {
		t.Error("doctor says that something is wrong")
	}
	samples := record(t, p.PID, 997, 3*time.Second)
	v := compare(t, samples, p.truth(t))
	atLeast(t, v.Right, "leaf function right", 99, enough)
	atLeast(t, v.Line, "caller's line right", 99, enough)
	if v.Wrong > 0 {
		t.Errorf("%d wrong functions, want none", v.Wrong)
	}
}

// pretend copies a Node.js binary and replaces the version of V8, of two numbers, in the text that hotspan reads.
func pretend(t *testing.T, node, version string) string {
	t.Helper()
	v8, err := exec.Command(node, "-p", "process.versions.v8").Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(node)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte("\x00"+strings.TrimSpace(string(v8))+"\x00")) // the snapshot has it too, later
	if at < 0 || string(v8[4]) != "." || len(version) != 4 {
		t.Fatalf("%q is not in %s, or has other numbers of digits", v8, node)
	}
	copy(b[at+1:], version)
	to := filepath.Join(t.TempDir(), "node")
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
