package agent

import (
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestRereadAtOldRate: where there can be no timers of another rate, the old ones go on, and samples have their weight.
func TestRereadAtOldRate(t *testing.T) {
	const rate, other = 99, 49
	a, err := New(Config{Select: Selection{Tree: os.Getpid()}, Rate: rate})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err = a.start(); err == nil {
		err = a.sampler.Start(a.trigger())
	}
	if err != nil {
		t.Fatal(err)
	}
	without(t, syscall.RLIMIT_NOFILE, func() { err = a.reread(a.reading, nil, other) })
	if err == nil {
		t.Fatal("timers were made without descriptors")
	}
	period := func() time.Duration { return time.Duration(a.builder.Cut(a.now().UnixNano())[0].Period) }
	if got := period(); a.rate != rate || got != time.Second/rate {
		t.Errorf("the rate is %d, a sample stands for %v", a.rate, got)
	}
	if err := a.reread(a.reading, nil, other); err != nil {
		t.Fatal(err)
	}
	if got := period(); a.rate != other || got != time.Second/other {
		t.Errorf("afterwards the rate is %d, a sample stands for %v", a.rate, got)
	}
}

// without runs f while this process may have nothing new of a resource.
func without(t *testing.T, resource int, f func()) {
	t.Helper()
	var before syscall.Rlimit
	err := syscall.Getrlimit(resource, &before)
	if err == nil {
		err = syscall.Setrlimit(resource, &syscall.Rlimit{Max: before.Max})
	}
	if err != nil {
		t.Fatal(err)
	}
	f()
	if err := syscall.Setrlimit(resource, &before); err != nil {
		t.Fatal(err)
	}
}

// TestChangesAtOnce: while the configuration changes, others may ask for another change.
func TestChangesAtOnce(t *testing.T) {
	config := Config{Select: Selection{Tree: os.Getpid()}, Rate: 99, SnapshotEvery: time.Minute}
	a, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.start(); err != nil {
		t.Fatal(err)
	}
	const each = 100
	var asking sync.WaitGroup
	for range 2 {
		asking.Go(func() {
			for i := range each {
				c := config
				c.SnapshotEvery += time.Duration(i+1) * time.Second
				if err := a.Change(t.Context(), c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for made := 0; made < 2*each && a.async.Wait(time.Minute); made++ {
	}
	asking.Wait()
	if want := config.SnapshotEvery + each*time.Second; a.config.SnapshotEvery != want {
		t.Errorf("in the end a snapshot covers %v, want %v", a.config.SnapshotEvery, want)
	}
}
