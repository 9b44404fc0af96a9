package inspect

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestLive: of a process that runs, what its functions were called with is shown, and printed by its address.
func TestLive(t *testing.T) {
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			p := live.Start(t, v.Version, arguments(t, v, t.TempDir(), "wait")...)
			defer syscall.Kill(p.PID, syscall.SIGKILL)
			pid := strconv.Itoa(p.PID)
			var a struct {
				Threads []struct {
					TID   int
					Stack []struct {
						F    string
						This *held
					}
				}
			}
			if err := inspect(&a, "-p", pid, "stack"); err != nil {
				t.Fatal(err)
			}
			address := ""
			for _, f := range a.Threads[0].Stack {
				if f.F == "charge" && f.This != nil && f.This.Text == "Account {}" {
					address = f.This.Address
				}
			}
			var out []struct{ Text string }
			if err := inspect(&out, "-p", pid, "print", address); err != nil || out[0].Text != "Account {}" {
				t.Errorf("%s: %v, %v, want Account {}", address, out, err)
			}
			var what []struct{ Class, Constructor string }
			err := inspect(&what, "-p", pid, "whatis", address)
			if err != nil || what[0].Class != "JSObject" || what[0].Constructor != "Account" {
				t.Errorf("%s: %v, %v, want a JSObject made by Account", address, what, err)
			}
			err = inspect(&out, "-p", pid, "print", "0x11")
			if err == nil || !strings.Contains(err.Error(), "no object") {
				t.Errorf("print 0x11: %v", err)
			}
		})
	}
}
