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
