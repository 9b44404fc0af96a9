package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	fair "github.com/hotspan/hotspan/agent/internal/share"
)

// newMap makes a BPF map as those that are shared are (linux/bpf.h, BPF_MAP_CREATE).
func newMap(t *testing.T) *os.File {
	t.Helper()
	const mapCreate, array, mmapable = 0, 2, 1 << 10
	attributes := struct{ kind, keySize, valueSize, entries, flags uint32 }{array, 4, 16, 8, mmapable}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, mapCreate, uintptr(unsafe.Pointer(&attributes)),
		unsafe.Sizeof(attributes))
	if errno != 0 {
		t.Fatal(errno)
	}
	unix.CloseOnExec(int(fd))
	return os.NewFile(fd, "map")
}

// runSession has the shares of a session that begins and ends. If its process takes the map, that stays mapped.
func runSession(t *testing.T, s *Server, who caller, takes bool) (mapped []byte) {
	t.Helper()
	if !s.shares.reserve(who) {
		t.Fatal("there is no room for a session")
	}
	file := newMap(t)
	id, of := s.shares.add(who, file)
	if takes {
		_, fd, err := s.shares.take(id, who)
		if err != nil {
			t.Fatal(err)
		}
		mapped, err = unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
	}
	s.shares.remove(id)
	file.Close()
	s.shares.release(who, of)
	return mapped
}

// Maps that processes still have, of sessions that have ended, count towards what their user may have, until the
// processes let go of them.
func TestMapsThatAreLeft(t *testing.T) {
	const most = 3
	s := &Server{captures: newQuota(maxCaptures, maxCapturesUser, 0), shares: shares{users: fair.New[uint32](most, 1)}}
	who := caller{uid: 7, pid: os.Getpid()}
	for range 2 * most {
		_ = runSession(t, s, who, false)
	}
	var left [][]byte
	for range most {
		left = append(left, runSession(t, s, who, true))
	}
	ask := func(who caller) int {
		s.config.Capture = func(context.Context, Capture) error { return nil }
		r := httptest.NewRequest(http.MethodPost, "/session?version=1&frequency=99", nil)
		w := httptest.NewRecorder()
		s.session(w, r.WithContext(context.WithValue(t.Context(), callerKey{}, who)))
		return w.Code
	}
	if got := ask(who); got != http.StatusTooManyRequests {
		t.Errorf("a process that has %d maps gets %d", most, got)
	}
	if got := ask(caller{all: true, pid: who.pid}); got == http.StatusTooManyRequests {
		t.Error("root is kept out")
	}
	if err := unix.Munmap(left[0]); err != nil {
		t.Fatal(err)
	}
	for !s.shares.reserve(who) { // until the kernel has let go of it, or the test takes too long
		time.Sleep(time.Millisecond)
	}
	if s.shares.reserve(who) {
		t.Error("the other maps do not count")
	}
	for _, mapped := range left[1:] {
		if err := unix.Munmap(mapped); err != nil {
			t.Fatal(err)
		}
	}
}

// What is counted are the maps of sessions that run, and those of others that processes still have: root's too.
func TestCountOfMaps(t *testing.T) {
	for _, who := range []caller{{uid: 7, pid: os.Getpid()}, {all: true, pid: os.Getpid()}} {
		s := &Server{shares: shares{users: fair.New[uint32](maxShares, 1)}}
		counts := func(running, ended int) {
			t.Helper()
			if r, e := s.SessionMaps(); r != running || e != ended {
				t.Errorf("%+v: %d running and %d ended, want %d and %d", who, r, e, running, ended)
			}
		}
		counts(0, 0)
		_ = runSession(t, s, who, false)
		counts(0, 0)
		first, second := runSession(t, s, who, true), runSession(t, s, who, true)
		counts(0, 2)
		file := newMap(t)
		id, _ := s.shares.add(who, file)
		counts(1, 2)
		s.shares.remove(id)
		file.Close()
		if err := unix.Munmap(first); err != nil {
			t.Fatal(err)
		}
		for _, ended := s.SessionMaps(); ended != 1; _, ended = s.SessionMaps() { // or the test takes too long
			time.Sleep(time.Millisecond)
		}
		if err := unix.Munmap(second); err != nil {
			t.Fatal(err)
		}
	}
}
