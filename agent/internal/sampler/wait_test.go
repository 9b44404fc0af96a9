package sampler

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

func opened(t *testing.T) *Sampler {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("loading BPF programs needs root")
	}
	s, err := Open(Config{RingBytes: 1 << 16, AllExecs: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Loaded(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWait: without a deadline Wait ends by an interrupt, before or meanwhile, and by a record.
func TestWait(t *testing.T) {
	s := opened(t)
	s.Interrupt()
	s.Wait(time.Time{})
	go func() {
		time.Sleep(10 * time.Millisecond)
		s.Interrupt()
	}()
	s.Wait(time.Time{})
	go func() { _ = exec.Command("true").Run() }()
	for { // other processes may call exec, too
		s.Wait(time.Time{})
		r, err := s.Read()
		if err == nil && r.Lifecycle != nil && r.Lifecycle.Type == bpf.RecordExec {
			break
		}
	}
	began := Now()
	s.Wait(time.Time{}) // for records that no wakeup is sent for
	if took := time.Duration(Now() - began); took > 10*readSeldom {
		t.Errorf("after a record Wait took %v, want %v at most", took, readSeldom*3/2)
	}
}

func TestWaitEndsAtTheDeadline(t *testing.T) {
	s := opened(t)
	for range 3 {
		deadline := time.Now().Add(20 * time.Millisecond)
		for time.Now().Before(deadline) {
			s.Wait(deadline)
			for _, err := s.Read(); err == nil; _, err = s.Read() {
			}
		}
	}
}

// A job that ends after the Sampler was closed has nobody to wake.
func TestInterruptAfterClose(t *testing.T) {
	s := opened(t)
	s.Close()
	s.Interrupt()
}

// TestAdapt: samples wait longer and longer while nothing wakes the agent before its time, and no longer than at first
// when something has.
func TestAdapt(t *testing.T) {
	w := &waiter{consumer: &bpf.Consumer{}}
	w.readEvery(readOften)
	for i, step := range []struct {
		waited time.Duration
		woken  bool
		want   time.Duration
	}{
		{readOften, true, 2 * readOften},
		{readOften, false, 2 * readOften}, // a deadline, which says nothing
		{3 * readOften, false, 4 * readOften},
		{4 * readOften, true, readSeldom},
		{2 * readSeldom, true, readSeldom}, // nothing was sampled for a while
		{readSeldom / 2, true, readOften},
	} {
		w.consumer.ReadAt = uint64(Now() - int64(step.waited))
		w.adapt(step.woken)
		if got := time.Duration(w.consumer.ReadEvery); got != step.want {
			t.Errorf("step %d: samples wait for %v, want %v", i, got, step.want)
		}
	}
}
