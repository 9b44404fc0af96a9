package procs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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
	noneWaits(t)
}

// noneWaits waits until no call is under way.
func noneWaits(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); waiting.All() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d calls still wait", waiting.All())
		}
	}
}

// TestUsers: files of one user's processes that never come, as many as there can be, keep nobody from reading those of
// others, nor hotspan from its own.
func TestUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	own := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(own, make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	open := func(name string) *os.File {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	read := func(of User, f *os.File) (err error) {
		Waited(of, func() { _, err = NewTimed(f).ReadAt(make([]byte, 100), 0) })
		return err
	}
	t.Run("waiting", func(t *testing.T) {
		dir := slowfiles.Mount(t, "", slowfiles.Never)
		own, slow := open(own), open(dir+"/a")
		const most = int(maxWaiting * userWaiting)
		errs := make(chan error, most)
		for range most {
			go func() { errs <- read(1, slow) }()
		}
		for end := time.Now().Add(5 * time.Second); waiting.All() < most; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d calls are under way, want %d", waiting.All(), most)
			}
		}
		err := read(1, own)
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "for processes of user 1") {
			t.Errorf("one more file of the user: %v", err)
		}
		for _, of := range []User{2, 0, Nobody} {
			if err := read(of, own); err != nil {
				t.Errorf("a file of user %d: %v", of, err)
			}
		}
		if err := read(2, slow); !errors.Is(err, ErrSlow) {
			t.Errorf("a slow file of another user: %v", err)
		}
		for range most {
			if err := <-errs; !errors.Is(err, ErrSlow) {
				t.Errorf("a slow file: %v", err)
			}
		}
	})
	noneWaits(t)
}

// TestLocked: what the kernel reads from the memory of a process never comes while that has locked it, and is waited
// for as a file is. Newer kernels read mappings all the same.
func TestLocked(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	t.Run("waiting", func(t *testing.T) {
		file := slowfiles.Mount(t, "", slowfiles.Never) + "/a"
		pid := slowfiles.Lock(t, file)
		mapped := Mapping{End: 4096, Path: file}
		for name, read := range map[string]func() bool{
			"arguments":    func() bool { return len(Arguments(pid)) > 0 },
			"command line": func() bool { return CommandLine(pid) != "" },
			"environment":  func() bool { return len(EnvironmentOf(pid)) > 0 },
			"mappings":     func() bool { all, err := Maps(pid); return len(all) > 0 && err == nil },
			"file":         func() bool { _, err := StatMapped(pid, mapped); return err == nil },
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				began, ended := time.Now(), make(chan bool, 1)
				go func() { ended <- read() }()
				select {
				case came := <-ended:
					if took := time.Since(began); came && name != "mappings" || !came && took < fileTimeout {
						t.Errorf("it has come: %v, after %v", came, took)
					}
				case <-time.After(3 * fileTimeout):
					t.Error("it is still waited for")
				}
			})
		}
	})
	noneWaits(t)
}

// TestUserOf: a process is its real user's, whoever's rights it takes.
func TestUserOf(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root becomes another user")
	}
	c := exec.Command("sleep", "60")
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := c.Process.Pid
	if got := UserOf(pid); got != 12345 {
		t.Errorf("user %d", got)
	}
	c.Process.Kill()
	if c.Wait(); UserOf(pid) != Nobody || UserOf(1) != 0 {
		t.Errorf("of a process that has ended %d, of the first one %d", UserOf(pid), UserOf(1))
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
