package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// withoutCheckpoint is hotspan without a right to open what processes have mapped but by its path, and with all others
// that it uses.
func withoutCheckpoint(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hotspan")
	const script = "#!/bin/sh\n" +
		"exec setpriv --bounding-set=-all,+bpf,+perfmon,+sys_ptrace,+sys_nice,+syslog "
	if err := os.WriteFile(path, []byte(script+hotspan+` "$@"`), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// pathGone is a way in which a Node.js that runs loses its path.
type pathGone struct {
	name   string
	linker bool // the dynamic linker is the executable, and Node.js is what that loads
	take   func(path string) error
}

var pathsGone = []pathGone{{"replaced", false, replace}, {"deleted, and not the executable", true, os.Remove}}

// fromMemory is what hotspan says of a file that it cannot have but from memory.
const fromMemory = "it is read from the memory of the process"

// replace puts another file in the place of one.
func replace(path string) error {
	return errors.Join(os.WriteFile(path+".new", []byte("a newer build"), 0o755), os.Rename(path+".new", path))
}

// start runs a program on a copy of a Node.js, which has no path afterwards.
func (g pathGone) start(t *testing.T, node, script string, flags, env []string) program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "node")
	// not by this process: what it has open to write, a program that another test starts has for a moment, too
	if out, err := exec.Command("cp", node, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := path
	if g.linker {
		command, flags = "/lib64/ld-linux-x86-64.so.2", append([]string{path}, flags...)
	}
	p := start(t, command, script, flags, env)
	if err := g.take(path); err != nil {
		t.Fatal(err)
	}
	return p
}

// says checks that hotspan says of a process whether its file is read from memory.
func (g pathGone) says(t *testing.T, command string, pid int) {
	t.Helper()
	record := []string{"record", "-d", "100ms", "-o", filepath.Join(t.TempDir(), "out.jsonl")}
	for _, verb := range [][]string{record, {"doctor"}} {
		c := exec.Command(command, append(verb, "-p", strconv.Itoa(pid))...)
		if out, err := c.CombinedOutput(); err != nil || strings.Contains(string(out), fromMemory) != g.linker {
			t.Errorf("%s: %v:\n%s", verb[0], err, out)
		}
	}
}

// TestPathGone: a service runs a Node.js that has no path any more, and hotspan may not open what is mapped otherwise.
// Functions are as right as with a path. Where the file is read from memory hotspan says so.
func TestPathGone(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	for _, g := range pathsGone {
		t.Run(g.name, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				p := g.start(t, node, "functions.js", []string{"--expose-gc"}, []string{"MODE=plain"})
				command := withoutCheckpoint(t)
				g.says(t, command, p.PID)
				samples := recordEnoughJS(t, command, p.PID, 1997, 4000, 3500*time.Millisecond)
				v := compare(t, samples, p.truth(t))
				inTime(t, v.Right, "leaf function right", 99, 3000)
				inTime(t, v.Callers, "caller right", 99, 3000)
				if v.Wrong > 0 {
					t.Errorf("%d wrong functions, want none", v.Wrong)
				}
				reach(t, samples, p.PID, 99)
			})
		})
	}
}

// TestPathGoneRequests: labels are as right, too, of a Node.js that is read from memory.
func TestPathGoneRequests(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	g := pathsGone[1]
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		p := g.start(t, node, "requests.js", flags, []string{"MODE=plain"})
		samples := recordEnoughJS(t, withoutCheckpoint(t), p.PID, 1997, 4000, 5*time.Second,
			judge.Flags(judge.StoreRules)...)
		compareLabels(t, samples, p.truth(t), judge.RequestLabels, bound{99.8, 2500})
	})
}
