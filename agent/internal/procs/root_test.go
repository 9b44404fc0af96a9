package procs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRoot: in the root of another file system, links mean what they mean there.
func TestRoot(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(filepath.Dir(dir), "outside")
	must(os.WriteFile(outside, []byte("outside"), 0o644))
	must(os.MkdirAll(filepath.Join(dir, "srv/app"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "srv/app/x.map"), []byte("inside"), 0o644))
	must(os.Symlink("/srv/app", filepath.Join(dir, "link")))
	must(os.Symlink(outside, filepath.Join(dir, "escape")))
	must(os.Symlink("loop", filepath.Join(dir, "loop")))
	must(unix.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	f, err := os.OpenFile(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	must(err)
	r := &RootDir{dir: f}
	for name, want := range map[string]string{
		"/srv/app/x.map": "inside", "/link/x.map": "inside", "/../../srv/app/../app/x.map": "inside",
		"/escape": "no such file", "/../outside": "no such file", "/none": "no such file",
		"/srv": "not a regular file", "/pipe": "not a regular file", "/loop": "too many levels",
	} {
		f, st, err := r.Open(name)
		if want != "inside" {
			if err == nil || !strings.Contains(err.Error(), want) ||
				errors.Is(err, fs.ErrNotExist) != (want == "no such file") {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := ReadAll(f, 6)
		if err != nil || string(b) != want || st.Size != 6 {
			t.Errorf("%s: %q, %v, %d bytes", name, b, err, st.Size)
		}
		f.Close()
	}
}

func TestReadAll(t *testing.T) {
	if _, err := ReadAll(strings.NewReader("1234567"), 6); !errors.Is(err, ErrTooLong) {
		t.Error(err)
	}
}

// TestOpenRoot: it shows this process's own files, and none for a process that there is not.
func TestOpenRoot(t *testing.T) {
	r, err := OpenRoot(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := r.Open("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := OpenRoot(1 << 30); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if r, err := openRootOf(os.Getpid(), Started(os.Getpid())-1); !errors.Is(err, fs.ErrNotExist) || r != nil {
		t.Errorf("of a process that had the pid before: %v", err)
	}
}
