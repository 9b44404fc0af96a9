package inspect

import (
	"os/exec"
	"regexp"
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

// TestTorn: where a process ran while it was read, that is said: values of before and after may be mixed. Of one that
// is stopped, what is shown is what was there at one instant.
func TestTorn(t *testing.T) {
	v := versions()
	p := live.Start(t, v[len(v)-1].Version, "testdata/torn.js")
	defer syscall.Kill(p.PID, syscall.SIGKILL)
	pid := strconv.Itoa(p.PID)
	var out struct{ Addresses []string }
	if err := inspect(&out, "-p", pid, "objects", "Both"); err != nil || len(out.Addresses) == 0 {
		t.Fatalf("%v: %v", err, out)
	}
	run := func(flags ...string) (text, said string) {
		cmd := exec.Command(hotspan, append(append([]string{"inspect", "-p", pid}, flags...), out.Addresses...)...)
		var warned strings.Builder
		cmd.Stderr = &warned
		b, err := cmd.Output()
		if err != nil && !strings.Contains(warned.String(), "the process changes it while it is read") {
			t.Fatalf("%v: %s", err, &warned)
		}
		return string(b), warned.String()
	}
	const ran = "ran while it was read"
	if text, said := run("print"); text != "" && !strings.Contains(said, ran) {
		t.Errorf("%s, without a word of its being torn: %s", text, said)
	}
	for range 5 {
		text, said := run("print", "--stop", "10s")
		m := regexp.MustCompile(`a: (\d+), b: (\d+)`).FindStringSubmatch(text)
		if m == nil || strings.Contains(said, ran) {
			t.Fatalf("stopped: %s, %s", text, said)
		}
		a, _ := strconv.Atoi(m[1])
		if b, _ := strconv.Atoi(m[2]); a != b && a != (b+1)%1000000 {
			t.Errorf("stopped: a is %d, b is %d", a, b)
		}
	}
}
