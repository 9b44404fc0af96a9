package inspect

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/v8/layout"
)

// TestNoObject: what is said of an address is said of that, not of the word that it would be.
func TestNoObject(t *testing.T) {
	s := &Subject{process: &process.Process{Memory: bytes.NewReader(nil), Layout: &layout.Layout{}}}
	for _, ask := range []func() error{
		func() error { _, err := s.Print(0x12, 1, false); return err },
		func() error { _, err := s.Refs(0x12, 1, nil); return err },
		func() error { _, err := s.Path(0x12, nil); return err },
		func() error { _, err := s.Function(0x12); return err },
	} {
		if err := ask(); err == nil || err.Error() != "0x12: no object of V8 begins there" {
			t.Error(err)
		}
	}
}

// TestMonotonicOfStopped: while a process is stopped its timers do not run on, however long it is read.
func TestMonotonicOfStopped(t *testing.T) {
	s := &Subject{live: true, process: &process.Process{PID: os.Getpid()}}
	for _, stopped := range []bool{false, true} {
		if stopped {
			s.At(time.Now())
		}
		now := s.monotonic()
		before := now()
		time.Sleep(200 * time.Millisecond)
		if after := now(); (after-before < 100e6) != stopped {
			t.Errorf("stopped %v: %d ns later", stopped, after-before)
		}
	}
}
