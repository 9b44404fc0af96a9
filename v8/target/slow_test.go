package target

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
	content := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(content, make([]byte, pages*4096), 0o644); err != nil {
		t.Fatal(err)
	}
	file := slowfiles.Mount(t, content, delay) + "/a"
	pid = slowfiles.Map(t, file)
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
	return pid, at
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
	if _, err := (Live{PID: pid}).ReadAt(make([]byte, 8), 8); !errors.Is(err, ErrSlow) || slow.waits[pid] == nil {
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
