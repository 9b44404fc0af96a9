package npm

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRecords: a reader written from the public texts alone finds every record, on each Node with AsyncContextFrame.
func TestRecords(t *testing.T) {
	app := installedApp(t)
	for _, n := range supported {
		if n.frame {
			t.Run(n.version, func(t *testing.T) { testRecords(t, app, n) })
		}
	}
}

func testRecords(t *testing.T, app string, n node) {
	args := append(n.flags(), "--expose-gc", "testdata/contexts.js", filepath.Join(app, "node_modules/hotspan"))
	cmd := exec.Command(n.path(t), args...)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	found, none, threads := 0, 0, map[int]bool{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var said struct {
			Thread int
			Want   map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &said); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		o, err := newOutside(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.context(said.Thread)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(said.Want, got); diff != "" {
			t.Fatal(diff)
		}
		if threads[said.Thread] = true; got == nil {
			none++
		} else {
			found++
		}
		if _, err := io.WriteString(in, "\n"); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d records, %d times none, on %d threads", found, none, len(threads))
	if found != 2*(5*2*7+1) || none != 2*(5*2+1)+1 || len(threads) != 2 {
		t.Error("these are too few, or too many")
	}
}
