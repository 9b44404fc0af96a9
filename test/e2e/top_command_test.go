package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// spinning says that it runs, reads what there is to read, and works until it is told to end.
const spinning = `
require("node:fs").writeFileSync(process.argv[1], String(process.pid))
console.log("the command runs, input", require("node:fs").readFileSync(0).length)
setInterval(function spin() { for (const end = Date.now() + 20; Date.now() < end;); }, 20)`

// ended reports whether the process whose number is in a file has ended, and fails if there is no such file.
func ended(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return unix.Kill(pid, 0) != nil
}

// TestTopOfCommand: top starts a command, profiles it, and ends it. What the command prints is not among the tables.
func TestTopOfCommand(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	const enough = 100
	var said bytes.Buffer
	var table tableOfTop
	untilEnough(t, func(times int) bool {
		c := exec.Command(hotspan, "top", "-F", "499", "-n", "1", "-i", fmt.Sprint(2*times, "s"), "--json", "--",
			node24(t), "-e", spinning, pid)
		said.Reset()
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, &said)
		}
		table = tableOfTop{}
		if err := json.Unmarshal(out, &table); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return table.Samples >= enough
	})
	spin := int64(0)
	for _, f := range table.Functions {
		if f.Name == "spin" {
			spin = f.Own
		}
	}
	const says = "the command runs, input 0\n"
	if table.Samples < enough || spin < table.Samples/2 || !strings.Contains(said.String(), says) {
		t.Errorf("%d samples, %d of spin: %s", table.Samples, spin, &said)
	}
	if !ended(t, pid) {
		t.Error("the command still runs")
	}
}

// TestTopOfCommandOnTerminal: keys are not the command's input, and what it prints does not disturb the screen, but
// stays when that is gone.
func TestTopOfCommandOnTerminal(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	term := onTerminal(t, 100, 24, "top", "-F", "499", "--", node24(t), "-e", spinning, pid)
	term.press("", "spin")
	term.press("g", "(no route)")
	if strings.Contains(term.text(), "the command runs") {
		t.Errorf("the command prints on the screen:\n%s", term.text())
	}
	if _, err := term.master.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-term.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("hotspan does not end")
	}
	term.press("", "the command runs, input 0")
	if !ended(t, pid) {
		t.Error("the command still runs")
	}
}
