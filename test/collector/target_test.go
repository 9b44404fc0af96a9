package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/hotspan/hotspan/test/nodes"
)

// target is a program that is profiled, and says at its end how many times it has worked for 4 ms.
type target struct {
	name  string // an argument that no other process has
	begun time.Time
	*exec.Cmd
	out bytes.Buffer
}

const targetProgram = `
	let n = 0;
	function work() { for (const end = performance.now() + 4; performance.now() < end;); n++; }
	setInterval(work, 8);
	process.once('SIGTERM', () => { console.log('worked ' + n); process.exit(0); });`

func startTarget(t *testing.T) *target {
	t.Helper()
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	p := &target{name: t.TempDir(), begun: time.Now()}
	p.Cmd = exec.Command(node, "-e", targetProgram, p.name)
	p.Stdout, p.Stderr = &p.out, &p.out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	return p
}

// checkUnharmed ends the target, which must have worked all the time.
func (p *target) checkUnharmed(t *testing.T) {
	t.Helper()
	p.Process.Signal(syscall.SIGTERM)
	err := p.Wait()
	var n int
	fmt.Sscanf(p.out.String(), "worked %d", &n)
	// some 12 ms each time on a machine that does other things too
	if least := int(time.Since(p.begun) / (40 * time.Millisecond)); err != nil || n < least {
		t.Errorf("the target has worked %d times, want at least %d: %v, %s", n, least, err, &p.out)
	}
}

// bpfObject is a program or a map in the kernel.
type bpfObject struct {
	kind string // prog or map
	id   uint32
}

var bpfID = regexp.MustCompile(`(?m)^(prog|map)_id:\s+(\d+)$`)

// bpfObjects returns the programs and maps of a process.
func bpfObjects(t *testing.T, pid int) map[bpfObject]bool {
	t.Helper()
	all := map[bpfObject]bool{}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it is closed by now
		}
		for _, m := range bpfID.FindAllStringSubmatch(string(text), -1) {
			id, err := strconv.ParseUint(m[2], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			all[bpfObject{m[1], uint32(id)}] = true
		}
	}
	return all
}

// checkGone checks that the kernel frees what a process had.
func checkGone(t *testing.T, all map[bpfObject]bool) {
	t.Helper()
	for o := range all {
		for end := time.Now().Add(20 * time.Second); o.exists(t); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s %d is left in the kernel", o.kind, o.id)
			}
		}
	}
}

func (o bpfObject) exists(t *testing.T) bool {
	t.Helper()
	var object interface{ Close() error }
	var err error
	if o.kind == "prog" {
		object, err = ebpf.NewProgramFromID(ebpf.ProgramID(o.id))
	} else {
		object, err = ebpf.NewMapFromID(ebpf.MapID(o.id))
	}
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	object.Close()
	return true
}
