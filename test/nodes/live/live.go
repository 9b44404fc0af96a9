// Package live runs Node.js for tests that read the running process. The program prints one line to standard error when
// it is ready, and waits until its standard input ends.
package live

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
)

// Stdout stands in the arguments of Start for the path of the file that gets standard output.
const Stdout = "{stdout}"

// Process is a running Node.js process.
type Process struct {
	PID    int
	Node   string // path of the executable
	Stdout string // file that standard output goes to
	Line   string // what the program said, without the line's end
}

// Start runs a version of Node.js and waits for its line. The process is ended with the test.
func Start(t testing.TB, version string, args ...string) *Process {
	t.Helper()
	p := &Process{Node: Binary(t, version), Stdout: filepath.Join(t.TempDir(), "stdout")}
	out, err := os.Create(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.Node, withPath(args, p.Stdout)...)
	cmd.Stdout = out
	stdin, err1 := cmd.StdinPipe()
	stderr, err2 := cmd.StderrPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); cmd.Wait(); out.Close() })
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %v: %.500s", args, err, line)
	}
	p.PID, p.Line = cmd.Process.Pid, line[:len(line)-1]
	return p
}

// Natives returns arguments for a program that uses V8's %functions, with all compilers that this V8 has.
func Natives(v nodes.Version, program ...string) []string {
	args := []string{"--allow-natives-syntax", "--expose-gc", "--sparkplug"}
	if v.Maglev() {
		args = append(args, "--maglev")
	}
	return append(args, program...)
}

func withPath(args []string, path string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if out[i] = arg; arg == Stdout {
			out[i] = path
		}
	}
	return out
}

// Said reads the line as JSON.
func (p *Process) Said(t testing.TB, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.Line), to); err != nil {
		t.Fatalf("%v: %.500s", err, p.Line)
	}
}
