package main

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestCPUTime compares with getrusage, and counts a thread that has ended.
func TestCPUTime(t *testing.T) {
	before, err := cpuTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	for range 2 { // one of them is not on the first thread
		done.Go(func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			var u unix.Rusage
			for u.Utime.Nano() < 50e6 {
				unix.Getrusage(unix.RUSAGE_THREAD, &u)
			}
		})
	}
	done.Wait()
	after, _ := cpuTime(os.Getpid())
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	if total := time.Duration(u.Utime.Nano() + u.Stime.Nano()); (total - after).Abs() > 20*time.Millisecond {
		t.Errorf("CPU time %v, getrusage says %v", after, total)
	}
	if after-before < 60*time.Millisecond {
		t.Errorf("two threads that used 50 ms each and ended count as %v", after-before)
	}
	if _, err := cpuTime(1 << 22); err == nil {
		t.Error("a process that does not exist has CPU time")
	}
}

func TestSwitchCounter(t *testing.T) {
	c := switchCounter{-1: {all: 5, voluntary: 4}} // a thread that has ended
	before, err := c.read(os.Getpid())
	if err != nil || before.all < 5 {
		t.Fatalf("%+v, error %v", before, err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pause := unix.Timespec{Nsec: 1e6}
	for range 10 {
		unix.Nanosleep(&pause, nil)
	}
	after, err := c.read(os.Getpid())
	if err != nil || after.voluntary < before.voluntary+10 || after.all < before.all+10 {
		t.Errorf("%+v, then %+v after ten sleeps, error %v", before, after, err)
	}
}

func TestStatusValue(t *testing.T) {
	file := []byte("Name:\tx\nVmHWM:\t  123 kB\nVmRSS:\t\n")
	if v, err := statusValue(file, "VmHWM:"); v != 123 || err != nil {
		t.Errorf("VmHWM is %d, error %v", v, err)
	}
	for _, name := range []string{"Name:", "VmRSS:", "VmPeak:"} {
		if v, err := statusValue(file, name); err == nil {
			t.Errorf("%s is %d, want an error", name, v)
		}
	}
	if m, err := readMemory(os.Getpid()); err != nil || m.rss < 1<<20 || m.peak < m.rss/2 {
		t.Errorf("memory %+v, error %v", m, err)
	}
}
