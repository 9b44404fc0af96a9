package procs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpenCallerRoot: as root, files are opened with the rights of the user who called sudo, and none for root itself.
func TestOpenCallerRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has other users' rights")
	}
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(filepath.Dir(dir), 0o755))
	must(os.Chmod(dir, 0o755))
	must(os.WriteFile(dir+"/open", nil, 0o644))
	must(os.WriteFile(dir+"/root", nil, 0o600))
	must(os.WriteFile(dir+"/group", nil, 0o640))
	must(os.Chown(dir+"/group", 0, 12345))
	must(unix.Mkfifo(dir+"/pipe", 0o666))
	t.Setenv("SUDO_UID", "12345")
	t.Setenv("SUDO_GID", "12345")
	root, err := OpenCallerRoot()
	must(err)
	for name, want := range map[string]error{
		dir + "/open": nil, dir + "/group": nil, dir + "/root": fs.ErrPermission, dir + "/pipe": errNotRegular,
		"/proc/self/environ": errKernelFile, "/proc/self/root" + dir + "/open": unix.ELOOP, "/dev/zero": errNotRegular,
	} {
		if _, _, err := root.Open(name); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	for _, ids := range [][2]string{{"", ""}, {"0", "0"}, {"12345", "0"}, {"-1", "1"}, {"x", "1"}} {
		t.Setenv("SUDO_UID", ids[0])
		t.Setenv("SUDO_GID", ids[1])
		if _, err := OpenCallerRoot(); !errors.Is(err, errNoCaller) {
			t.Errorf("%q: %v", ids, err)
		}
	}
}
