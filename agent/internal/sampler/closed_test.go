package sampler

import (
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// TestJobsAfterClose: what a job has for the BPF maps when they are closed meanwhile is written to no other file that
// has their descriptors by then.
func TestJobsAfterClose(t *testing.T) {
	s, err := Open(Config{RingBytes: 1 << 16, Probes: []string{"uprobe:libc.so.6:nanosleep"}})
	if err == nil {
		err = s.Loaded()
	}
	if err != nil {
		t.Fatal(err)
	}
	var jobs sync.WaitGroup
	written := make(chan struct{})
	for job := range uint32(4) {
		jobs.Go(func() {
			key := bpf.EnvironmentKey{Process: job + 1, Tid: 1, Isolate: 1}
			err := s.SetLoop(key, 1)
			for written <- struct{}{}; err == nil; err = s.SetLoop(key, 1) {
				time.Sleep(time.Microsecond)
			}
			if !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
			if ok, err := s.AddProbes(os.Getpid()); !ok || err != nil {
				t.Errorf("%v, %v", ok, err)
			}
		})
	}
	for range 4 {
		<-written
	}
	s.Close()
	jobs.Wait()
}
