package trigger

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/probe"
)

func TestProbesNonsense(t *testing.T) {
	for _, c := range []struct{ specs, limit int }{{maxProbes + 1, 1}, {1, -1}, {1, int(2 * time.Second)}} {
		if _, err := NewProbes(nil, make([]probe.Spec, c.specs), c.limit); err == nil {
			t.Errorf("%d probes of %d samples: no error", c.specs, c.limit)
		}
	}
}

// TestWithoutSampling: hits of a process that is not profiled are not counted, and the end of the probes leaves none.
func TestWithoutSampling(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loading BPF programs needs root")
	}
	specs, err := probe.ParseAll([]string{"syscall:getppid", "uprobe:libc.so.6:nanosleep"})
	if err != nil {
		t.Fatal(err)
	}
	objects, load, err := bpf.Create(1<<16, false, Wanted(specs))
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	if err := load.Sampling(); err != nil {
		t.Fatal(err)
	}
	if objects.HotspanSample != nil || objects.HotspanUprobe == nil || objects.HotspanSyscall == nil ||
		objects.HotspanSyscallEnd != nil {
		t.Errorf("loaded: %+v", objects)
	}
	p, err := NewProbes(objects, specs, 0)
	if err != nil {
		t.Fatal(err)
	}
	sleeper := exec.Command("sleep", "60")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { sleeper.Process.Kill(); sleeper.Wait() }()
	time.Sleep(200 * time.Millisecond) // libc is mapped
	if ok, err := p.Add(sleeper.Process.Pid); !ok || err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		os.Getppid()
	}
	p.Stop()
	p.Stop()
	all, err := p.Hits()
	if err != nil || len(all) != 2 || all[0].All != 0 || all[1].Processes != 1 || len(p.on) != 0 {
		t.Errorf("%+v, %v, on %d", all, err, len(p.on))
	}
	if ok, err := p.Add(-1); ok || err == nil || !strings.Contains(err.Error(), "mappings of process -1") {
		t.Errorf("%v, %v", ok, err)
	}
}
