package trigger

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/probe"
	"github.com/hotspan/hotspan/test/slowfiles"
)

func TestMain(m *testing.M) {
	slowfiles.Main()
	os.Exit(m.Run())
}

func TestProbesNonsense(t *testing.T) {
	for _, c := range []struct{ specs, limit int }{{maxProbes + 1, 1}, {1, -1}, {1, int(2 * time.Second)}} {
		if _, err := NewProbes(nil, make([]probe.Spec, c.specs), c.limit, nil); err == nil {
			t.Errorf("%d probes of %d samples: no error", c.specs, c.limit)
		}
	}
}

// newProbes prepares probes for the length of a test.
func newProbes(t *testing.T, specs []probe.Spec) (*Probes, *bpf.Objects) {
	t.Helper()
	objects, load, err := bpf.Create(1<<16, false, Wanted(specs))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { objects.Close() })
	if err := load.Sampling(); err != nil {
		t.Fatal(err)
	}
	p, err := NewProbes(objects, specs, 0, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return p, objects
}

// startSleeper starts a process that has a libc mapped which no other has. The kernel puts a uprobe on a file only when
// it has locked the memory of all processes that have the file mapped, and one may wait for a page with it locked.
func startSleeper(t *testing.T) (pid int) {
	t.Helper()
	sleeper := exec.Command("sleep", "60")
	sleeper.Env = append(os.Environ(), "LD_LIBRARY_PATH="+copyOfLibc(t))
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sleeper.Process.Kill(); sleeper.Wait() })
	pid = sleeper.Process.Pid
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		call, _ := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid))
		if bytes.HasPrefix(call, fmt.Append(nil, unix.SYS_CLOCK_NANOSLEEP, " ")) {
			return pid
		}
	}
	t.Fatal("it does not sleep")
	return 0
}

// copyOfLibc is a directory with a copy of the C library.
func copyOfLibc(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	own, err := exec.Command("gcc", "-print-file-name=libc.so.6").Output()
	if err == nil {
		err = exec.Command("cp", strings.TrimSpace(string(own)), dir).Run()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSlowProbe: a process whose file does not come delays no other, and may be removed meanwhile. Then its hits were
// not counted, which the probe's lateness tells.
func TestSlowProbe(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loading BPF programs needs root")
	}
	specs, err := probe.ParseAll([]string{"uprobe:read:f", "uprobe:libc.so.6:nanosleep"})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := newProbes(t, specs)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	slow, sleeper := slowfiles.Map(t, slowfiles.Mount(t, "", slowfiles.Never)+"/read"), startSleeper(t)
	added := make(chan struct{})
	go func() {
		p.Add(slow)
		close(added)
	}()
	time.Sleep(200 * time.Millisecond)
	ok, err := p.Add(sleeper)
	if !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	p.Remove(slow)
	all, err := p.Hits()
	if err != nil || all[1].Processes != 1 || all[0].Processes != 0 || all[0].Late < 200*time.Millisecond {
		t.Errorf("%+v, %v", all, err)
	}
	select {
	case <-added:
		t.Error("the file was not slow, or the process has waited for it")
	default:
	}
	<-added
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.on) != 1 || p.on[sleeper] == nil {
		t.Errorf("on %v", p.on)
	}
}

// TestSlowStart: that a file of a process that was added has become slow keeps probes from beginning for some seconds
// at most, and is no error of them all.
func TestSlowStart(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loading BPF programs needs root")
	}
	specs, err := probe.ParseAll([]string{"uprobe:a:nanosleep"})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := newProbes(t, specs)
	dir, slowDown := slowfiles.MountFast(t, "/lib/x86_64-linux-gnu/libc.so.6")
	slow := slowfiles.Map(t, dir+"/a")
	if ok, err := p.Add(slow); !ok || err != nil {
		t.Fatal(err)
	}
	slowDown(8 * time.Second)
	forgetPages(t, dir+"/a") // else the kernel need not read the instruction
	began := time.Now()
	if err := p.Start(); err != nil {
		t.Error(err)
	}
	defer p.Stop()
	all, err := p.Hits()
	if err != nil || all[0].Processes != 0 {
		t.Errorf("%+v, %v, after %v: the file was not slow", all, err, time.Since(began))
	}
}

// forgetPages has the kernel forget what it has read of a file.
func forgetPages(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
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
	p, objects := newProbes(t, specs)
	if objects.HotspanSample != nil || objects.HotspanUprobe == nil || objects.HotspanSyscall == nil ||
		objects.HotspanSyscallEnd != nil {
		t.Errorf("loaded: %+v", objects)
	}
	sleeper := startSleeper(t)
	if ok, err := p.Add(sleeper); !ok || err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if all, err := p.Hits(); err != nil || all[1].Processes == 1 { // on a busy machine its file is read beside
			break
		}
	}
	for range 100 {
		os.Getppid()
	}
	if ok, err := p.Add(-1); ok || err == nil || !strings.Contains(err.Error(), "mappings of process -1") {
		t.Errorf("%v, %v", ok, err)
	}
	p.Stop()
	p.Stop()
	all, err := p.Hits()
	if err != nil || len(all) != 2 || all[0].All != 0 || all[1].Processes != 1 || len(p.on) != 0 {
		t.Errorf("%+v, %v, on %d", all, err, len(p.on))
	}
}

// TestAddAfterStop: of a process that is added too late nothing is opened, also where its files were being read.
func TestAddAfterStop(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("loading BPF programs needs root")
	}
	specs, err := probe.ParseAll([]string{"uprobe:libc.so.6:nanosleep"})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := newProbes(t, specs)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	sleeper := startSleeper(t)
	place, err := probe.Find(sleeper, specs[0])
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	if ok, err := p.Add(sleeper); !ok || err != nil || p.on[sleeper].found[0].File != nil {
		t.Errorf("%v, %v; afterwards there is %+v", ok, err, p.on[sleeper])
	}
	if _, links, _ := p.put(sleeper, 0, place, true); len(links) > 0 {
		t.Error("a probe was put on by a program that may be unloaded")
		closeAll(links)
	}
}
