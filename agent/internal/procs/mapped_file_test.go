package procs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// mount mounts a file system on a folder until the test ends.
func mount(t *testing.T, source, dir, kind, options string) {
	t.Helper()
	if err := unix.Mount(source, dir, kind, 0, options); err != nil {
		t.Fatalf("mount %s: %v", kind, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// program copies an executable.
func program(t *testing.T, name, to string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// codeOf is where a process has mapped the code of a file.
func codeOf(t *testing.T, pid int, path string) Mapping {
	t.Helper()
	maps, err := Maps(pid)
	i := slices.IndexFunc(maps, func(m Mapping) bool { return strings.HasPrefix(m.Path, path) && m.Exec })
	if err != nil || i < 0 {
		t.Fatalf("%s is not mapped: %v, %v", path, maps, err)
	}
	return maps[i]
}

// TestSameInode: two file systems have files with the same inode number, and the same path. One is the mapped file only
// if it has its device, or what is mapped.
func TestSameInode(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to mount file systems needs root")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "cat")
	mount(t, "tmpfs", dir, "tmpfs", "")
	program(t, "cat", path)
	cmd := start(t, path, "-", "-")
	m := codeOf(t, cmd.Process.Pid, path)
	tryByPath(t, "in place", cmd.Process.Pid, m, nil)
	for other, want := range map[string]error{"ls": errReplaced, "cat": nil} {
		t.Run(other, func(t *testing.T) {
			mount(t, "tmpfs", dir, "tmpfs", "")
			program(t, other, path)
			var st unix.Stat_t
			if err := unix.Stat(path, &st); err != nil || st.Ino != m.Inode {
				t.Fatalf("inode %d, mapped is %d: %v", st.Ino, m.Inode, err)
			}
			tryByPath(t, "the same inode of another device", cmd.Process.Pid, m, want)
		})
	}
}

func tryByPath(t *testing.T, when string, pid int, m Mapping, want error) {
	t.Helper()
	f, err := openByPath(pid, m)
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", when, err, want)
	}
	if err == nil {
		f.Close()
	}
}

// TestMappedAnew: a file is not taken for the one that was mapped at its place when the mappings were read. That one is
// opened by its path, or not at all.
func TestMappedAnew(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to open a file through its mapping needs root")
	}
	dir := t.TempDir()
	paths, files := [2]string{filepath.Join(dir, "one"), filepath.Join(dir, "other")}, [2]*os.File{}
	for i, path := range paths {
		err := os.WriteFile(path, bytes.Repeat([]byte{byte(i)}, os.Getpagesize()), 0o644)
		if err == nil {
			files[i], err = os.Open(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	const size, read, private = 4096, unix.PROT_READ, unix.MAP_PRIVATE
	at, err := unix.MmapPtr(int(files[0].Fd()), 0, nil, size, read|unix.PROT_EXEC, private)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.MunmapPtr(at, size)
	m := codeOf(t, os.Getpid(), paths[0])
	elsewhere := m
	elsewhere.Device = "fe:ff" // as on an overlay
	st, err := StatFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.MmapPtr(int(files[1].Fd()), 0, at, size, read, private|unix.MAP_FIXED); err != nil {
		t.Fatal(err)
	}
	if err := checkLinked(os.Getpid(), elsewhere, files[1], &st); !errors.Is(err, errReplaced) {
		t.Errorf("on another device: %v", err)
	}
	f, err := Open(os.Getpid(), m)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if now, err := StatFile(f); err != nil || now.Ino != m.Inode {
		t.Errorf("inode %d, mapped was %d: %v", now.Ino, m.Inode, err)
	}
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(os.Getpid(), m); !errors.Is(err, ErrNoPath) {
		t.Errorf("%v, %v", f, err)
	}
}

// TestOverlay: on an overlay of two file systems files have another device than their mappings.
func TestOverlay(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to mount file systems needs root")
	}
	dirs := map[string]string{}
	for _, name := range []string{"lower", "rest", "merged"} {
		dirs[name] = t.TempDir()
		if name != "merged" {
			mount(t, "tmpfs", dirs[name], "tmpfs", "")
		}
	}
	upper, work := filepath.Join(dirs["rest"], "upper"), filepath.Join(dirs["rest"], "work")
	if err := errors.Join(os.Mkdir(upper, 0o755), os.Mkdir(work, 0o755)); err != nil {
		t.Fatal(err)
	}
	program(t, "cat", filepath.Join(dirs["lower"], "cat"))
	mount(t, "overlay", dirs["merged"], "overlay",
		fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", dirs["lower"], upper, work))
	path := filepath.Join(dirs["merged"], "cat")
	cmd := start(t, path, "-", "-")
	m := codeOf(t, cmd.Process.Pid, path)
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	if device := fmt.Sprintf("%02x:%02x", unix.Major(st.Dev), unix.Minor(st.Dev)); device == m.Device {
		t.Errorf("the file and its mapping have the same device, %s: nothing is tried", device)
	}
	tryByPath(t, "on an overlay", cmd.Process.Pid, m, nil)
}
