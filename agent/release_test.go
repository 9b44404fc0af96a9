package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
)

// TestRelease: what is open for a process is closed when its profiling ends, and when the Agent does.
func TestRelease(t *testing.T) {
	file, at := jitted(t)
	roots := opened(t, "/")
	for _, detached := range []bool{true, false} {
		a, err := New(Config{Select: Selection{PIDs: []int{os.Getpid()}}, Rate: 99})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.start(); err != nil {
			t.Error(err)
		}
		of, out := a.targets[os.Getpid()], pprofx.Sample{}
		now := sampler.Now()
		of.symbolizer.Stack(&sampler.Sample{
			Sample: &bpf.Sample{Pid: uint32(of.PID), Tid: uint32(of.PID), Time: uint64(now), IsNew: 1},
			Frames: []bpf.Frame{{Kind: bpf.FrameNative, Pc: at, Exact: 1}},
		}, &out)
		if len(out.Stack) != 1 || out.Stack[0].Function != "made" || opened(t, file) != 1 {
			t.Errorf("%v, %d files are open", out.Stack, opened(t, file))
		}
		if detached {
			a.detach(of)
		} else {
			a.Close()
		}
		deadline := time.Now().Add(10 * time.Second)
		for opened(t, file) > 0 || opened(t, "/") > roots {
			if time.Sleep(time.Millisecond); time.Now().After(deadline) {
				t.Fatalf("detached %v: %d descriptors of the jitdump, and so what is kept of it, %d of the root",
					detached, opened(t, file), opened(t, "/")-roots)
			}
		}
		if detached {
			a.Close()
		}
		runtime.KeepAlive(a) // else the collector may close the files
		runtime.KeepAlive(of)
	}
}

// jitted makes code of this process, and a jitdump that names it. It returns the path of the file and an address in the
// code.
func jitted(t *testing.T) (path string, at uint64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), fmt.Sprintf("jit-%d.dump", os.Getpid()))
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	page := mapped(t, int(file.Fd()), unix.MAP_PRIVATE)
	code := mapped(t, -1, unix.MAP_PRIVATE|unix.MAP_ANON)
	t.Cleanup(func() {
		unix.Munmap(page)
		unix.Munmap(code)
	})
	at = uint64(uintptr(unsafe.Pointer(&code[0])))
	w, err := jitdump.NewWriter(file, jitdump.Header{Machine: jitdump.X86_64, PID: uint32(os.Getpid())})
	if err == nil {
		err = w.Load(&jitdump.Code{Time: uint64(sampler.Now()), Address: at, Name: "made", Bytes: code[:64]})
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, at
}

func mapped(t *testing.T, fd, flags int) []byte {
	t.Helper()
	b, err := unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, flags)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// opened is how many descriptors this process has of a file.
func opened(t *testing.T, path string) (n int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == path {
			n++
		}
	}
	return n
}
