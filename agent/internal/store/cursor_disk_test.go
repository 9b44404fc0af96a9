package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A full disk, on which a snapshot has taken the last block, keeps how far a consumer has come: the next agent does not
// deliver all of that time twice.
func TestCursorOnFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	s, err := Open(dir, Limits{Bytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Cursor("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Keep(); err != nil {
		t.Fatal(err)
	}
	filled := os.WriteFile(filepath.Join(dir, "other"), make([]byte, 1<<20), 0o600)
	if !errors.Is(filled, unix.ENOSPC) {
		t.Fatal(filled)
	}
	for _, sequence := range []uint64{9, 10} {
		if err := c.Done(Entry{Sequence: sequence}); err != nil {
			t.Errorf("%d: %v", sequence, err)
		}
		if got, err := readCursor(s.root, c.file); err != nil || got != sequence+1 {
			t.Errorf("after %d it is at %d, %v", sequence, got, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
