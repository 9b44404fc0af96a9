package target

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/slowfiles"
)

func TestMain(m *testing.M) {
	slowfiles.Main()
	os.Exit(m.Run())
}

// mapSlow starts a process that has mapped a file of some pages, of which each takes so long to come.
func mapSlow(t *testing.T, pages int, delay time.Duration) (pid int, at int64) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	slow.mu.Lock()
	clear(slow.waits)
	slow.mu.Unlock()
	content := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(content, make([]byte, pages*4096), 0o644); err != nil {
		t.Fatal(err)
	}
	file := slowfiles.Mount(t, content, delay) + "/a"
	pid = slowfiles.Map(t, file)
	return pid, mappedAt(t, pid, file)
}

// mappedAt is where a process has mapped a file whose path begins so.
func mappedAt(t *testing.T, pid int, file string) (at int64) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, file) {
			fmt.Sscanf(line, "%x", &at)
		}
	}
	if at == 0 {
		t.Fatalf("%s is not mapped:\n%s", file, maps)
	}
	return at
}

// TestSlowMemory: a page that does not come is waited for for a second, and then nothing of the process is read.
func TestSlowMemory(t *testing.T) {
	pid, at := mapSlow(t, 1, slowfiles.Never)
	began := time.Now()
	_, err := Live{PID: pid}.ReadAt(make([]byte, 8), at)
	if took := time.Since(began); !errors.Is(err, ErrSlow) || took < readTimeout-checkEvery {
		t.Errorf("%v after %v", err, took)
	}
	began = time.Now()
	if _, err := (Live{PID: pid}).ReadAt(make([]byte, 8), 8); !errors.Is(err, ErrSlow) || slow.waits[0] == nil {
		t.Errorf("the next read: %v after %v", err, time.Since(began))
	}
}

// TestJustInTime: pages of which each comes just in time are waited for for a few seconds together.
func TestJustInTime(t *testing.T) {
	const delay, most = 700 * time.Millisecond, 12
	pid, at := mapSlow(t, most*32+1, delay) // the kernel reads 128 KiB at a time
	for n := range most {
		_, err := Live{PID: pid}.ReadAt(make([]byte, 8), at+int64(n)*32*4096)
		if err == nil || errors.Is(err, unix.EFAULT) { // where a signal comes meanwhile
			continue
		}
		if !errors.Is(err, ErrSlow) || n < 3 {
			t.Errorf("page %d: %v", n, err)
		}
		return
	}
	t.Errorf("%d pages were waited for, %v each", most, delay)
}

// TestManySlow: pages of many processes of a user, none of which comes, are waited for hardly longer than those of one;
// those of another user's processes are waited for as ever, until those of all take too long.
func TestManySlow(t *testing.T) {
	const processes = 10
	first, at := mapSlow(t, 1, slowfiles.Never)
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/map_files/%x-%x", first, at, at+4096))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for n := range processes {
		pid := slowfiles.Map(t, fmt.Sprintf("%s/%c", filepath.Dir(exe), 'b'+n))
		began := time.Now()
		at := mappedAt(t, pid, filepath.Dir(exe))
		if _, err := (Live{PID: pid}).ReadAt(make([]byte, 8), at); !errors.Is(err, ErrSlow) {
			t.Errorf("process %d: %v", n, err)
		}
		if took := time.Since(began); n > 3 && took > readTimeout/2 {
			t.Errorf("the page of process %d is waited for for %v", n, took)
		}
	}
	t.Logf("all were waited for for %v", time.Since(began))
	for user := 1000; ; user++ {
		c := exec.Command("sleep", "60")
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user)}}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		left := allTimeout - slow.waits[everybody].sum
		if slow.waited(c.Process.Pid, min(left, userTimeout)-1) {
			t.Errorf("pages of user %d are waited for too long already, %v are left", user, left)
		}
		if left < userTimeout {
			if !slow.waited(c.Process.Pid, 1) {
				t.Error("those of all together may take any time")
			}
			return
		}
		if !slow.waited(c.Process.Pid, 1) {
			t.Errorf("those of user %d may take any time", user)
		}
	}
}

// TestWaits: a thread that works, or sleeps in another system call, does not wait for memory.
func TestWaits(t *testing.T) {
	for name, f := range map[string]func(end chan bool){
		"works": func(end chan bool) {
			for len(end) == 0 {
			}
		},
		"sleeps": func(end chan bool) {
			for len(end) == 0 {
				unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
			}
		},
	} {
		r, end, started := new(reader), make(chan bool, 1), make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			r.thread.Store(int32(unix.Gettid()))
			close(started)
			f(end)
		}()
		<-started
		for range 100 {
			if r.waits() {
				t.Errorf("a thread that %s waits for memory", name)
				break
			}
			time.Sleep(time.Millisecond)
		}
		end <- true
	}
}
