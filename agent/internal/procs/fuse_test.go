package procs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/slowfiles"
)

// TestSlowFiles: a file system that never answers delays hotspan by fileTimeout, and keeps nothing when it has gone.
func TestSlowFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	t.Run("waiting", func(t *testing.T) {
		dir := slowfiles.Mount(t, "", slowfiles.Never)
		root, err := OpenRootDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		t.Run("all", func(t *testing.T) { waitForSlowFiles(t, dir, root) })
	})
	for end := time.Now().Add(5 * time.Second); waiting.Load() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d calls still wait", waiting.Load())
		}
	}
}

func waitForSlowFiles(t *testing.T, dir string, root *RootDir) {
	f, _, err := root.Open("/read")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	p, unmapped := NewTimed(f), Mapping{Path: filepath.Join(dir, "lookup")}
	for name, do := range map[string]func() error{
		"open": func() error { _, _, err := root.Open("/lookup"); return err },
		"stat": func() error { _, err := StatMapped(os.Getpid(), unmapped); return err },
		"read": func() error { _, err := ReadAll(f, 1<<20); return err },
		"part": func() error { _, err := p.ReadAt(make([]byte, 8), 0); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			err := do()
			if took := time.Since(began); !errors.Is(err, ErrSlow) || took < fileTimeout || took > 3*fileTimeout {
				t.Errorf("%v after %v", err, took)
			}
			if name != "part" {
				return
			}
			began = time.Now()
			if err := do(); !errors.Is(err, ErrSlow) || time.Since(began) > fileTimeout/2 {
				t.Errorf("again: %v after %v", err, time.Since(began))
			}
		})
	}
}
