package inspect

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestStop: the heap of a process that changes it all the time is read as it was at one instant, if the process is
// stopped, and wholly, unless V8 was stopped where a page is not all objects yet: then again. That it collects garbage,
// as Node.js 16 does here for nine tenths of the time, is no reason. Without --stop, much has changed. The process goes
// on afterwards.
func TestStop(t *testing.T) {
	draw.Quarter(t, seldom)
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			p := live.Start(t, v.Version, "testdata/churn.js")
			pid := strconv.Itoa(p.PID)
			var runs, stands census
			if err := inspect(&runs, "-p", pid, "objects"); err != nil {
				t.Fatal(err)
			}
			if runs.ChangedBytes == 0 {
				t.Error("nothing has changed without --stop: this shows nothing")
			}
			whole := func() bool { return stands.NotReadBytes <= stands.ObjectBytes/1000 }
			for tries := 0; tries == 0 || !whole(); tries++ {
				if tries == 20 {
					t.Fatal("it was never read wholly")
				}
				stands = census{}
				if err := inspect(&stands, "-p", pid, "--stop", "1m", "objects"); err != nil {
					t.Fatal(err)
				}
				if stands.ChangedBytes > 0 {
					t.Errorf("of %d bytes %d have changed", stands.ObjectBytes, stands.ChangedBytes)
				}
				t.Logf("of %d bytes %d are not read, collecting: %v", stands.ObjectBytes, stands.NotReadBytes,
					stands.Collecting)
			}
			goesOn(t, p)
		})
	}
}

// TestStopKilled: where hotspan is killed while it has a process stopped, the process goes on.
func TestStopKilled(t *testing.T) {
	p := live.Start(t, versions()[0].Version, "testdata/churn.js")
	cmd := exec.Command(hotspan, "inspect", "-p", strconv.Itoa(p.PID), "--stop", "10m", "objects")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	for tries := 0; state(t, p.PID) != "t"; tries++ {
		if tries == 30000 {
			t.Fatal("it is not stopped within half a minute")
		}
		time.Sleep(time.Millisecond)
	}
	// Then it cannot end of itself.
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if s := state(t, p.PID); s != "t" {
		t.Errorf("the process is in state %s, not stopped: this shows nothing", s)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	goesOn(t, p)
}

// goesOn has a process of churn.js answer a signal.
func goesOn(t *testing.T, p *live.Process) {
	t.Helper()
	if err := syscall.Kill(p.PID, syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	for range 10000 {
		if said, _ := os.ReadFile(p.Stdout); strings.Contains(string(said), "signal") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("it does not answer within ten seconds, in state %s", state(t, p.PID))
}

// state returns the letter of the state of a process's first thread.
func state(t *testing.T, pid int) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, fields, _ := strings.Cut(string(b), ") ")
	return fields[:1]
}
