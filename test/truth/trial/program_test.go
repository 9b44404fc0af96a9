package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// start runs a shell script in the place of Node.js: it writes the file of the truth as the programs do.
func start(t *testing.T, text string) (*Program, error) {
	t.Helper()
	script := filepath.Join(t.TempDir(), "program.sh")
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Start(t.TempDir(), "sh", script, nil, []string{"NAME=x"})
}

const program = `echo "starting" >&2
echo "ready $$" >&2
while ! [ -e "$STOP" ]; do sleep 0.01; done
echo "{\"kind\":\"header\",\"program\":\"$NAME\"}" >"$1"
echo '{"kind":"clock","mono":1,"unix":2}' >>"$1"
`

func TestStop(t *testing.T) {
	p, err := start(t, program)
	if err != nil {
		t.Fatal(err)
	}
	if p.PID != p.Process.Pid {
		t.Errorf("pid %d, want %d", p.PID, p.Process.Pid)
	}
	time.AfterFunc(20*time.Millisecond, func() { p.Stop() })
	l, err := p.Truth()
	if err != nil || l.Header.Program != "x" {
		t.Errorf("%+v, %v", l, err)
	}
	p.Kill() // once more is no harm
}

// TestKill: a program leaves no zombie, whether it was awaited or not.
func TestKill(t *testing.T) {
	p, err := start(t, program)
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if p.ProcessState == nil {
		t.Error("not waited for")
	}
	script := filepath.Join(t.TempDir(), "program.sh")
	if err := os.WriteFile(script, []byte("exec sleep 60"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err = Launch(t.TempDir(), "sh", script, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if p.ProcessState == nil {
		t.Error("not waited for")
	}
}

func TestStartErrors(t *testing.T) {
	if _, err := start(t, "echo 'SyntaxError: x' >&2; exit 3"); err == nil ||
		!strings.Contains(err.Error(), "ended before it was ready: SyntaxError: x") {
		t.Errorf("error %v", err)
	}
	p, err := start(t, "echo \"ready $$\" >&2; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Truth(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v", err)
	}
}
