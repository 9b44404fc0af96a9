package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/cgroups"
)

// TestFrozen: of a process in a control group that is frozen, which the kernel says to sleep or to wait for a device,
// a dump tells why it does nothing.
func TestFrozen(t *testing.T) {
	t.Parallel()
	v1 := cgroups.Limit{Controller: "freezer", V1: "freezer.state", Text1: "FROZEN"}
	for thawed, limit := range map[string]cgroups.Limit{"THAWED": v1, "0": {V2: "cgroup.freeze", Text2: "1"}} {
		group, err := cgroups.New("hotspan-frozen", limit)
		if errors.Is(err, cgroups.ErrNone) {
			continue // most machines have one version only
		} else if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(filepath.Dir(group)), func(t *testing.T) {
			t.Cleanup(func() { // when the process has ended
				if err := os.Remove(group); err != nil {
					t.Error(err)
				}
			})
			p := start(t, node24(t), "shares.js", nil, nil)
			t.Cleanup(func() {
				if err := os.WriteFile(filepath.Join(group, limit.V1+limit.V2), []byte(thawed), 0o644); err != nil {
					t.Error(err)
				}
			})
			pid := strconv.Itoa(p.PID)
			frozen := fmt.Sprintf("\nthread %s MainThread: frozen, as by docker pause, V8 ", pid)
			if text := dumped(t, pid); strings.Contains(text, frozen) {
				t.Errorf("before: %s", text)
			}
			if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(pid), 0o644); err != nil {
				t.Fatal(err)
			}
			var text string
			for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				if text = dumped(t, pid); strings.Contains(text, frozen) {
					return
				}
			}
			t.Error(text)
		})
	}
}

// TestStopped: of a process that is stopped a recording is empty, and says why.
func TestStopped(t *testing.T) {
	t.Parallel()
	p := start(t, node24(t), "shares.js", nil, nil)
	if err := syscall.Kill(p.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(p.PID, syscall.SIGCONT) })
	out, err := exec.Command(hotspan, "record", "-p", strconv.Itoa(p.PID), "-d", "1s", "-o", t.TempDir()+"/out.otlp").
		CombinedOutput()
	if err != nil || !strings.Contains(string(out), ": the process is stopped, as by SIGSTOP\n") {
		t.Errorf("%v: %s", err, out)
	}
}

// dumped returns the text of a dump.
func dumped(t *testing.T, pid string) string {
	t.Helper()
	out, err := exec.Command(hotspan, "dump", "-p", pid).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
