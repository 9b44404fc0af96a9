package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Nobody waits for ever for a disk that hangs: snapshots are in memory, from which they are read, and on the disk once
// it goes on.
func TestHangingDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, unlimited)
	c, err := s.Cursor("a")
	if err != nil {
		t.Fatal(err)
	}
	s.writes.most = 50 * time.Millisecond
	goOn := make(chan struct{})
	s.write = func(name string, frame []byte) error {
		<-goOn
		return s.writeFile(name, frame)
	}
	for i := range 3 {
		e, err := s.Append([]byte("x"), int64(i), int64(i+1))
		if !errors.Is(err, ErrHangs) {
			t.Fatalf("snapshot %d: %v", i, err)
		}
		if frame, err := s.Read(e); err != nil || string(frame) != "x" {
			t.Errorf("snapshot %d: %q, %v", i, frame, err)
		}
		if err := c.Done(e); !errors.Is(err, ErrHangs) {
			t.Errorf("its cursor: %v", err)
		}
	}
	if got := s.Stats(); got.Unwritten != 3 || s.WriteLeft() != 3 {
		t.Errorf("%+v, %d in memory", got, s.WriteLeft())
	}
	close(goOn)
	for end := time.Now().Add(10 * time.Second); s.writes.hang.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	s.writes.most = mostWait
	last := add(t, s, 1, 3)
	if err := c.Done(last); err != nil || s.WriteLeft() != 0 {
		t.Errorf("%v, %d in memory", err, s.WriteLeft())
	}
	s.Close()
	if got := sequences(open(t, dir, unlimited)); !slices.Equal(got, []uint64{1, 2, 3, 4}) {
		t.Errorf("%v", got)
	}
}

// A snapshot that the disk does not let us read is not waited for either. To open a pipe hangs until somebody writes.
func TestHangingRead(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, unlimited)
	s.reads.most = 50 * time.Millisecond
	hangs, other := add(t, s, 1, 0), add(t, s, 1, 1)
	pipe := filepath.Join(dir, hangs.name())
	if err := errors.Join(os.Remove(pipe), unix.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, e := range []Entry{hangs, other} { // of the same disk
		var of *fs.PathError
		if _, err := s.Read(e); !errors.Is(err, ErrHangs) || !errors.As(err, &of) {
			t.Errorf("%v", err)
		}
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	writer.Close()
	for end := time.Now().Add(10 * time.Second); s.reads.hang.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if frame, err := s.Read(other); err != nil || len(frame) != 1 {
		t.Errorf("%d bytes, %v", len(frame), err)
	}
}
