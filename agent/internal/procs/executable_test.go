package procs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// dynamicLinker runs a program that is its argument: then that is mapped, but not the executable.
const dynamicLinker = "/lib64/ld-linux-x86-64.so.2"

// TestPathGone: without a right to open mappings, an executable is opened that was deleted, or whose path another file
// has now. Another file that is mapped is not.
func TestPathGone(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"deleted": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("a newer build"), 0o755), os.Rename(path+".new", path))
		},
		"a FIFO now": func(path string) error { return errors.Join(os.Remove(path), unix.Mkfifo(path, 0o644)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cat")
			program(t, "cat", path)
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			cmd, other := start(t, path, "-", "-"), start(t, dynamicLinker, path, "-", "-")
			code, mapped := codeOf(t, cmd.Process.Pid, path), codeOf(t, other.Process.Pid, path)
			if err := take(path); err != nil {
				t.Fatal(err)
			}
			f, err := openOtherwise(cmd.Process.Pid, code)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, the file had %d: %v", len(got), len(want), err)
			}
			if f, err := openOtherwise(other.Process.Pid, mapped); f != nil || !errors.Is(err, ErrNoPath) {
				t.Errorf("not the executable: %v, %v", f, err)
			}
		})
	}
}

// TestDeviceHasAPath: a mapping that the kernel lets hotspan open, and that is of no regular file, has not lost a path.
func TestDeviceHasAPath(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("to open mappings needs root")
	}
	f, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	memory, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(memory)
	m := codeOf(t, os.Getpid(), "/dev/zero")
	if _, err := Open(os.Getpid(), m); !errors.Is(err, errNotRegular) || errors.Is(err, ErrNoPath) {
		t.Error(err)
	}
}
