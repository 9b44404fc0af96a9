package agent

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/pprofx"
)

// TestConfigNonsense: what makes no sense is an error of New, which says what is wrong.
func TestConfigNonsense(t *testing.T) {
	all := Selection{All: true}
	for want, c := range map[string]Config{
		"rate 0: at least 1":            {Select: all},
		"rate -5: at least 1":           {Select: all, Rate: -5},
		"this kernel allows at most":    {Select: all, Rate: 1 << 40},
		"a time must not be negative":   {Select: all, Rate: 99, SnapshotEvery: -1},
		"ring buffer of 12345 bytes":    {Select: all, Rate: 99, RingBytes: 12345},
		"ring buffer of -4096 bytes":    {Select: all, Rate: 99, RingBytes: -4096},
		"process 0: there is no such":   {Select: Selection{PIDs: []int{0}}, Rate: 99},
		"process -1: there is no such":  {Select: Selection{PIDs: []int{-1}}, Rate: 99},
		"a sink is nil":                 {Select: all, Rate: 99, Sinks: []Sink{nil}},
		"no Node.js process to profile": {Rate: 99},
	} {
		a, err := New(c)
		if err == nil {
			a.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	if _, err := New(Config{Rate: 99}); !errors.Is(err, ErrNoProcess) {
		t.Errorf("%v, want ErrNoProcess", err)
	}
}

// TestClose: New without Run leaves nothing behind: no goroutine, no descriptor.
func TestClose(t *testing.T) {
	fresh := func() *Agent {
		a, err := New(Config{Select: Selection{Tree: os.Getpid()}, Rate: 99})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	fresh().Close() // what the first one opens for good, such as the kernel's BTF
	settled := func() (goroutines, descriptors int) {
		for range 100 { // symbols of the kernel are read in a goroutine that ends by itself
			time.Sleep(20 * time.Millisecond)
			if n := runtime.NumGoroutine(); n == goroutines {
				break
			} else {
				goroutines = n
			}
		}
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return goroutines, len(names)
	}
	goroutines, descriptors := settled()
	for range 3 {
		fresh().Close()
	}
	if g, d := settled(); g > goroutines || d > descriptors {
		t.Errorf("%d goroutines and %d descriptors, %d and %d before", g, d, goroutines, descriptors)
	}
}

// TestPriority: Run leaves the caller's thread as it was, and raises threads only where that is asked for.
func TestPriority(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	nice := func() int {
		n, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if err != nil {
			t.Fatal(err)
		}
		return 20 - n // the system call gives 20 less the level
	}
	before := nice()
	for _, raise := range []bool{false, true} {
		during := before + 1
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		a, err := New(Config{
			Select: Selection{Tree: os.Getpid()}, Rate: 19, RaisePriority: raise, SnapshotEvery: 20 * time.Millisecond,
			Sinks:    []Sink{discard{}},
			Progress: func(Progress) { during = nice(); cancel() },
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Run(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		if after := nice(); after != before || (during < before) != raise {
			t.Errorf("raised %v: level %d before, %d meanwhile, %d after", raise, before, during, after)
		}
	}
}

// discard is a sink that takes everything.
type discard struct{}

func (discard) Name() string { return "discard" }

func (discard) Write(context.Context, *pprofx.Snapshot) error { return nil }
