package inspect

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
	"github.com/hotspan/hotspan/v8/target"
)

// counted is the memory of a process, with how often it was read.
type counted struct {
	target.PartsReader
	reads int
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	c.reads++
	return c.PartsReader.ReadAt(b, at)
}

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

// TestReads: what is in a heap is told by few reads of memory. Each is a system call, and there were more than ten for
// each object that somebody may wait for, and for each hidden class hundreds.
func TestReads(t *testing.T) {
	script, err := filepath.Abs("../../../test/inspect/testdata/await.js")
	if err != nil {
		t.Fatal(err)
	}
	list := nodes.Versions()
	p := live.Start(t, list[len(list)-1].Version, script, t.TempDir(), "wait")
	s, err := OpenLive(p.PID)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.live = false // it stands still, and would be read twice
	memory := &counted{PartsReader: s.process.Memory.(target.PartsReader)}
	s.process.Memory = memory
	classes := map[uint64]bool{}
	s.walk(s.heap(), nil, func(o *space.Object) bool {
		classes[uint64(o.Address)] = true
		return true
	})
	bare := memory.reads
	for name, f := range map[string]func(){
		"Requests": func() { s.Requests(nil, nil) }, "Objects": func() { s.Objects(false, nil) },
	} {
		memory.reads = 0
		f()
		t.Logf("%s: %d reads, of which %d are the heap itself, of %d hidden classes", name, memory.reads, bare,
			len(classes))
		if most := bare + 40*len(classes); memory.reads > most {
			t.Errorf("%s: %d reads of memory, at most %d are needed", name, memory.reads, most)
		}
	}
}
