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
	if took := time.Duration(Now() - began); took > 10*readAfter {
		t.Errorf("after a record Wait took %v, want %v", took, readAfter)
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
