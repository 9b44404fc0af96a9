package target

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownPages are two pages of the test's own memory, of which only the first can be read.
func ownPages(t *testing.T) []byte {
	t.Helper()
	pages, err := unix.Mmap(-1, 0, 2*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pages {
		pages[i] = byte(i % 251)
	}
	if err := unix.Mprotect(pages[4096:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return pages
}

// The test reads its own memory as if it were another process's.
func TestLive(t *testing.T) {
	pages := ownPages(t)
	at := int64(uintptr(unsafe.Pointer(&pages[0])))
	self := Live{PID: os.Getpid()}
	for _, c := range []struct {
		name   string
		mem    Live
		at     int64
		n, got int
		err    string
	}{
		{"a page", self, at, 4096, 4096, ""},
		{"its last byte", self, at + 4095, 1, 1, ""},
		{"nothing", self, at + 5000, 0, 0, ""},
		{"partly mapped", self, at + 4000, 200, 96, "short read (96 of 200 bytes)"},
		{"not readable", self, at + 4096, 8, 0, "bad address"},
		{"not mapped", self, 8, 8, 0, "read 8 bytes at 0x8 of process"},
		{"not canonical", self, -8, 8, 0, "at 0xfffffffffffffff8"},
		{"no such process", Live{PID: 1 << 30}, at, 8, 0, "no such process"},
	} {
		b := make([]byte, c.n)
		n, err := c.mem.ReadAt(b, c.at)
		if n != c.got || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %d bytes, %v, want %d and %q", c.name, n, err, c.got, c.err)
		}
		if c.got > 0 && !bytes.Equal(b[:n], pages[c.at-at:c.at-at+int64(n)]) {
			t.Errorf("%s: other bytes than there are", c.name)
		}
	}
	if _, err := (Live{PID: 1 << 30}).ReadAt(make([]byte, 1), at); !errors.Is(err, unix.ESRCH) {
		t.Errorf("no such process: %v", err)
	}
}

// TestReadParts: ranges are read in order, up to the first that is not all there, however many there are.
func TestReadParts(t *testing.T) {
	pages := ownPages(t)
	at := uint64(uintptr(unsafe.Pointer(&pages[0])))
	self := Live{PID: os.Getpid()}
	var parts []Part
	for i := range uint64(maxParts + 500) {
		parts = append(parts, Part{at + i, make([]byte, 1+i%7)})
	}
	if n, err := self.ReadParts(parts); n != len(parts) || err != nil {
		t.Fatalf("%d of %d, %v", n, len(parts), err)
	}
	for i, p := range parts {
		if !bytes.Equal(p.To, pages[i:i+len(p.To)]) {
			t.Fatalf("part %d: %x, want %x", i, p.To, pages[i:i+len(p.To)])
		}
	}
	for _, bad := range []uint64{4096, 4090} { // not mapped, partly mapped
		parts[maxParts+7] = Part{at + bad, make([]byte, 8)}
		if n, err := self.ReadParts(parts); n != maxParts+7 || err == nil {
			t.Errorf("bad part at %d: %d read, %v, want %d and an error", bad, n, err, maxParts+7)
		}
	}
	if n, err := self.ReadParts(nil); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
	if _, err := (Live{PID: 1 << 30}).ReadParts(parts); !errors.Is(err, unix.ESRCH) {
		t.Errorf("no such process: %v", err)
	}
}

// TestLiveOfThread: memory that is read as a thread's can be read until that ends, though the process lives on.
func TestLiveOfThread(t *testing.T) {
	at := int64(uintptr(unsafe.Pointer(&ownPages(t)[0])))
	tid, end := make(chan int), make(chan bool)
	run := func() {
		runtime.LockOSThread() // without unlocking it: the thread ends with the goroutine
		tid <- unix.Gettid()
		<-end
	}
	go run()
	thread := Live{PID: <-tid}
	if thread.PID == os.Getpid() { // this one does not end
		go run()
		thread.PID = <-tid
	}
	if _, err := thread.ReadAt(make([]byte, 8), at); err != nil {
		t.Error(err)
	}
	close(end)
	task := fmt.Sprintf("/proc/self/task/%d", thread.PID)
	for ended := false; !ended && t.Context().Err() == nil; time.Sleep(time.Millisecond) {
		_, err := os.Stat(task)
		ended = errors.Is(err, os.ErrNotExist)
	}
	if _, err := thread.ReadAt(make([]byte, 8), at); !errors.Is(err, unix.ESRCH) {
		t.Errorf("%v, want ESRCH", err)
	}
}
