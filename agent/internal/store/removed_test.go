package store

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDirectoryRemoved: where somebody removes the directory, later snapshots are in a new one, which is this Store's
// alone, and those that were in the old one count as removed.
func TestDirectoryRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, err := Open(dir, Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := s.Cursor("to")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Append([]byte("old"), 1, 2); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	e, err := s.Append([]byte("new"), 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if frame, err := os.ReadFile(filepath.Join(dir, e.name())); err != nil || string(frame) != "new" {
		t.Errorf("%q, %v", frame, err)
	}
	if got := s.Stats(); got != (Stats{Snapshots: 1, Bytes: 3, Evicted: 3}) {
		t.Errorf("%+v", got)
	}
	if lost := c.Lost(); lost != 3 {
		t.Errorf("%d snapshots are lost to a consumer", lost)
	}
	if err := c.Done(e); err != nil {
		t.Error(err)
	}
	if _, err := Open(dir, Limits{Bytes: 1 << 20}); err == nil {
		t.Error("another Store has the directory too")
	}
}
