package elffile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestOneInode: an overlay of two file systems has an executable of one, and a library of the other with the same inode
// number. In the mappings both have one device. They are two files.
func TestOneInode(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to mount file systems needs root")
	}
	merged := overlayOfTwo(t)
	t.Setenv("LD_PRELOAD", filepath.Join(merged, "libm.so.6"))
	pid, end := started(t, filepath.Join(merged, "cat"))
	defer end()
	maps, err := procs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	h := NewCache(nil).Hold()
	defer h.Release()
	inodes, files := map[uint64]bool{}, map[string]*File{}
	for _, m := range maps {
		if m.Exec && filepath.Dir(m.Path) == merged {
			inodes[m.Inode], files[m.Path] = true, h.Get(pid, m)
		}
	}
	if len(inodes) != 1 || len(files) != 2 {
		t.Fatalf("%d inodes of %d files: nothing is tried", len(inodes), len(files))
	}
	ids := map[string]bool{}
	for path, f := range files {
		if ids[f.BuildID] = true; f.Path != path {
			t.Errorf("%s is said to be %s", path, f.Path)
		}
	}
	if len(ids) != len(files) {
		t.Errorf("build ids: %v", ids)
	}
}

// TestSharedByUser: a file of an overlay may not be the mapped one, so that only processes of one user share it. Here
// one has libm, with the inode number of cat, taken for cat.
func TestSharedByUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to mount file systems needs root")
	}
	merged := overlayOfTwo(t)
	c := NewCache(nil)
	get := func() *File {
		pid, end := started(t, filepath.Join(merged, "cat"))
		t.Cleanup(end)
		h := c.Hold()
		t.Cleanup(h.Release)
		return h.Get(pid, mappedBy(t, pid, filepath.Join(merged, "cat")))
	}
	first := get()
	other, err := os.Open(filepath.Join(merged, "libm.so.6"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	pid, end := started(t, filepath.Join(merged, "cat"))
	defer end()
	m := mappedBy(t, pid, filepath.Join(merged, "cat"))
	procs.Waited(1001, func() { c.open(keyOf(m, other), other, m.Path) })
	if again := get(); again != first || again.BuildID == "" {
		t.Errorf("another process of the same user has a file of its own: %+v, %+v", again, first)
	}
	procs.Waited(1001, func() {
		if f, err := c.getFile(pid, m, stamp{}); err != nil || f.BuildID == first.BuildID {
			t.Errorf("%v: the other file is not kept: nothing is tried", err)
		}
	})
}

// overlayOfTwo mounts an overlay of two file systems, with the executable cat of one, and libm of the other with the
// same inode number.
func overlayOfTwo(t *testing.T) (merged string) {
	t.Helper()
	mount := func(kind, dir, options string) {
		if err := unix.Mount(kind, dir, kind, 0, options); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	}
	lower, upper, merged := t.TempDir(), t.TempDir(), t.TempDir()
	for dir, file := range map[string]string{lower: "/usr/bin/cat", upper: "/lib/x86_64-linux-gnu/libm.so.6"} {
		mount("tmpfs", dir, "")
		if out, err := exec.Command("cp", "-L", file, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	mount("overlay", merged, fmt.Sprintf("lowerdir=%s:%s", upper, lower))
	return merged
}
