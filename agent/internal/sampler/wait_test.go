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
	for s.waiter.empty < 2 { // until it waits for a wakeup only
		s.Wait(time.Now().Add(time.Millisecond))
	}
	if s.waiter.consumer.Polling != 0 {
		t.Error("the BPF program does not know that it must wake")
	}
	go func() { _ = exec.Command("true").Run() }()
	for { // other processes may call exec, too
		s.Wait(time.Time{})
		r, err := s.Read()
		if err == nil && r.Lifecycle != nil && r.Lifecycle.Type == bpf.RecordExec {
			break
		}
	}
	s.Wait(time.Now().Add(time.Millisecond))
	if s.waiter.consumer.Polling == 0 {
		t.Error("the BPF program is to wake for each record, though records come")
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
