package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestEnded: a process that has the id of another one, which was met before, is not that.
func TestEnded(t *testing.T) {
	pid := os.Getpid()
	same := Process{PID: pid, Started: procs.Started(pid)}
	before := Process{PID: pid, Started: procs.Started(pid) - 1}
	if same.Ended() || !before.Ended() {
		t.Errorf("the same: %v, one of before: %v", same.Ended(), before.Ended())
	}
}

// TestWithoutFiles: a process that cannot be read, for lack of file descriptors here, has not ended.
func TestWithoutFiles(t *testing.T) {
	files, pid := elffile.NewLayoutCache(), os.Getppid()
	opened := Process{PID: pid, Started: procs.Started(pid)}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	_, err := Open(pid, files)
	ended := opened.Ended()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, unix.EMFILE) || errors.Is(err, ErrGone) || ended {
		t.Errorf("opened: %v; one that was opened before has ended: %v", err, ended)
	}
}

// TestOpenEnded: what is said of a process that has ended, also before its parent takes note.
func TestOpenEnded(t *testing.T) {
	c := exec.Command("true")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := c.Process.Pid
	for deadline := time.Now().Add(time.Minute); !procs.Ended(pid) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	for _, parent := range []string{"has not waited", "has waited"} {
		if _, err := Open(pid, elffile.NewLayoutCache()); !errors.Is(err, ErrGone) {
			t.Errorf("the parent %s: %v", parent, err)
		}
		_ = c.Wait()
	}
}

// TestExecuted: as soon as a process is said to run another program, it has that one's mappings.
func TestExecuted(t *testing.T) {
	const rounds, script = 300, `echo ready; read line && exec sh -c "$0" "$0"`
	c := exec.Command("sh", "-c", script, script)
	in, err := c.StdinPipe()
	out, also := c.StdoutPipe()
	if err := errors.Join(err, also, c.Start()); err != nil {
		t.Fatal(err)
	}
	ready := bufio.NewScanner(out)
	defer c.Wait()
	defer in.Close()
	for i := range rounds {
		if !ready.Scan() {
			t.Fatal("the shell has ended")
		}
		p := Process{PID: c.Process.Pid, program: procs.Auxiliary(c.Process.Pid)}
		if p.Executed() {
			t.Fatal("another program before any execve")
		}
		if _, err := in.Write([]byte{'\n'}); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); !p.Executed(); {
			if time.Now().After(deadline) {
				t.Fatalf("execve %d is not seen", i)
			}
		}
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", c.Process.Pid))
		if err != nil || !strings.Contains(string(maps), "r-xp") {
			t.Fatalf("execve %d is not over: error %v, mappings\n%s", i, err, maps)
		}
	}
}

// TestEndsWhileOpened: a process that ends while it is read is gone, and not one without V8 and without mappings.
func TestEndsWhileOpened(t *testing.T) {
	const rounds = 400
	cache, gone := elffile.NewLayoutCache(), 0
	for i := range rounds {
		c := exec.Command("sleep", "60")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(i)*time.Microsecond, func() { _ = c.Process.Kill() })
		p, err := OpenToSample(c.Process.Pid, cache, true)
		switch {
		case errors.Is(err, ErrGone):
			gone++
		case err != nil:
			t.Errorf("after %d µs: %v", i, err)
		case len(p.Mappings.Code()) == 0:
			t.Errorf("after %d µs: opened without mappings", i)
		}
		if err == nil {
			p.Mappings.Release()
		}
		_ = c.Wait()
	}
	if t.Logf("%d of %d had ended", gone, rounds); gone == 0 {
		t.Error("none ended while it was read")
	}
}
