package procs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/slowfiles"
)

// Users of TestRightsOfCapabilities.
const (
	serviceUser  = 4242
	serviceGroup = 4711 // one of its supplementary ones
	ownUser      = 4343
)

// opensFor is set where the test binary runs as another user to open files: a pid, and names.
const opensFor = "HOTSPAN_TEST_OPENS_FOR"

func TestMain(m *testing.M) {
	slowfiles.Main()
	if os.Getenv(vforks) != "" {
		vfork()
	}
	if file := os.Getenv(withoutCPU); file != "" {
		readWithoutCPU(file)
		return
	}
	words := strings.Fields(os.Getenv(opensFor))
	if len(words) == 0 {
		os.Exit(m.Run())
	}
	var pid int
	fmt.Sscan(words[0], &pid)
	root, err := OpenRoot(pid)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for range 2 { // a thread that had other rights serves nothing else
		for _, name := range words[1:] {
			_, _, err := root.Open(name)
			fmt.Println(filepath.Base(name), err == nil, errors.Is(err, fs.ErrPermission))
		}
	}
}

// TestRightsOfCapabilities: hotspan as a user of its own, with capabilities. Those that open any file do not open what
// the process's user may not read.
func TestRightsOfCapabilities(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives capabilities")
	}
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range []struct {
		name       string
		uid, group int
		mode       fs.FileMode
	}{
		{"public", 0, 0, 0o644}, {"secret", 0, 0, 0o600}, {"shared", 0, serviceGroup, 0o640},
		{"service", serviceUser, serviceUser, 0o400}, {"own", ownUser, ownUser, 0o400},
	} {
		name := filepath.Join(dir, f.name)
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chown(name, f.uid, f.group),
			os.Chmod(name, f.mode)); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: serviceUser, Gid: serviceUser,
		Groups: []uint32{serviceGroup}}}
	in, err := cmd.StdinPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })

	unit := []uintptr{unix.CAP_SYS_PTRACE, unix.CAP_DAC_READ_SEARCH, unix.CAP_DAC_OVERRIDE}
	for _, c := range []struct {
		user  int
		more  []uintptr
		opens string
	}{
		{ownUser, nil, "public own"},
		{ownUser, []uintptr{unix.CAP_SETUID}, "public own"},
		{ownUser, []uintptr{unix.CAP_SETUID, unix.CAP_SETGID}, "public shared service"},
		{0, []uintptr{unix.CAP_SETUID, unix.CAP_SETGID}, "public shared service"},
		{0, []uintptr{unix.CAP_SETUID}, ""},
		{0, []uintptr{unix.CAP_SETGID}, ""},
		{0, nil, ""},
	} {
		t.Run(fmt.Sprint(c.user, c.more), func(t *testing.T) {
			said := openAs(t, dir, cmd.Process.Pid, c.user, append(c.more, unit...), names)
			var opened []string
			for line := range strings.Lines(said) {
				var name string
				var ok, forbidden bool
				fmt.Sscan(line, &name, &ok, &forbidden)
				if ok {
					opened = append(opened, name)
				}
				if c.opens != "" && !ok && !forbidden {
					t.Errorf("%q", line)
				}
			}
			if want := strings.TrimSpace(c.opens + " " + c.opens); strings.Join(opened, " ") != want {
				t.Errorf("opened %q, want %q: %s", opened, want, said)
			}
		})
	}
}

// openAs has a copy of this test open files below the root of a process, as a user with these capabilities only.
func openAs(t *testing.T, dir string, pid, user int, capabilities []uintptr, names []string) string {
	t.Helper()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	copied, err := os.CreateTemp(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(copied, self)
	if err := errors.Join(err, copied.Chmod(0o755), copied.Close()); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(copied.Name())
	if user == 0 {
		var drop []string
		for _, n := range capabilities {
			drop = append(drop, fmt.Sprintf("+cap_%d", n))
		}
		c = exec.Command("setpriv", "--bounding-set=-all,"+strings.Join(drop, ","), copied.Name())
	} else {
		c.SysProcAttr = &syscall.SysProcAttr{AmbientCaps: capabilities,
			Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	}
	c.Env = append(os.Environ(), opensFor+"="+strings.Join(append([]string{fmt.Sprint(pid)}, names...), " "))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestRightsDropped: a process that gives up root's rights after hotspan has met it has its files opened without them,
// also when it has ended.
func TestRightsDropped(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has rights to give up")
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "read x; exec setpriv --reuid=4242 --regid=4242 --clear-groups cat")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	root, err := OpenRoot(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if f, _, err := root.Open(secret); err != nil {
		t.Errorf("as root: %v", err)
	} else {
		f.Close()
	}
	io.WriteString(in, "go\nready\n")
	if _, err := io.ReadFull(out, make([]byte, 6)); err != nil { // of cat
		t.Fatal(err)
	}
	for _, when := range []string{"afterwards", "when it has ended"} {
		if f, _, err := root.Open(secret); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v, %v", when, f, err)
		}
		in.Close()
		cmd.Wait()
	}
}
