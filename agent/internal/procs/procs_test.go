package procs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestContainerID(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	for cgroup, want := range map[string]string{
		"": "", "0::/\n": "",
		"0::/docker/" + id + "\n":                     id,
		"0::/ecs/" + id[:32] + "-0123456789\n":        id[:32] + "-0123456789",
		"0::/system.slice/docker-" + id + ".scope\n":  id,
		"0::/system.slice/crio-" + id + ".scope\n":    id,
		"12:pids:/ecs/8901fdad7f201c8b26a2/" + id:     id,
		"4:memory:/kubepods/burstable/pod1-2-3/" + id: id,
		"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8a3c.slice/cri-containerd-" + id +
			".scope": id,
		"0::/../" + id:                   id,
		"0::/user.slice/" + id[1:]:       "",
		"0::/user.slice/" + id + "0":     "",
		"0::/" + strings.ToUpper(id):     "",
		"0::/" + id[:32] + "/" + id[32:]: "",
	} {
		if got := ContainerID(cgroup); got != want {
			t.Errorf("%q: %q, want %q", cgroup, got, want)
		}
	}
}

func TestPodUID(t *testing.T) {
	const uid = "8a3c1e52-0d4b-4f6a-9c7d-1234567890ab"
	for cgroup, want := range map[string]string{
		"": "", "0::/docker/abc\n": "",
		"0::/kubepods/burstable/pod" + uid + "/abc\n":                                            uid,
		"0::/kubepods.slice/kubepods-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice/x.scope": uid,
		"0::/kubepods/burstable/pod" + uid + "0/abc\n":                                           "",
		"0::/tripod" + uid + "/abc\n":                                                            "",
	} {
		if got := PodUID(cgroup); got != want {
			t.Errorf("%q: %q, want %q", cgroup, got, want)
		}
	}
}

// start runs a program that waits, and that says when it runs.
func start(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(path, args...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal(err1, err2, path)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	io.WriteString(in, "ready\n")
	if _, err := io.ReadFull(out, make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestDescendsFrom(t *testing.T) {
	self, parent := os.Getpid(), os.Getppid()
	child := start(t, "cat").Process.Pid
	for _, c := range []struct {
		pid, ancestor int
		want          bool
	}{
		{self, self, true}, {self, parent, true}, {child, self, true}, {child, parent, true},
		{self, child, false}, {parent, self, false}, {1 << 30, self, false}, {self, 1 << 30, false}, {0, self, false},
		{-1, self, false},
	} {
		if got := DescendsFrom(c.pid, c.ancestor); got != c.want {
			t.Errorf("DescendsFrom(%d, %d) = %v (self %d, parent %d, child %d)", c.pid, c.ancestor, got, self, parent,
				child)
		}
	}
	if got := Parent(child); got != self {
		t.Errorf("parent %d, want %d", got, self)
	}
	if got := Parent(1 << 30); got != 0 {
		t.Errorf("parent of nothing: %d", got)
	}
	pids, err := All()
	if err != nil || !slices.Contains(pids, self) || !slices.Contains(pids, child) {
		t.Errorf("All: %v, %v", pids, err)
	}
}

// catAs copies cat to a name and runs it.
func catAs(t *testing.T, name string) (path string, cmd *exec.Cmd) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	program(t, "cat", path)
	return path, start(t, path, "-", "-")
}

// The name of a program may hold what /proc/PID/stat separates its fields with.
func TestStrangeNames(t *testing.T) {
	path, cmd := catAs(t, "a ) S 1 (b (x y")
	pid := cmd.Process.Pid
	if got := Parent(pid); got != os.Getpid() {
		t.Errorf("parent %d, want %d", got, os.Getpid())
	}
	if got, err := Executable(pid); got != path || err != nil {
		t.Errorf("executable %q, %v, want %q", got, err, path)
	}
	if got := CommandLine(pid); got != path+" - -" {
		t.Errorf("command line %q", got)
	}
	if got := CommandLine(1 << 30); got != "" {
		t.Errorf("command line of nothing: %q", got)
	}
	if _, err := Executable(1 << 30); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("executable of nothing: %v", err)
	}
}

// A file is opened as the process has it mapped, when it was deleted or replaced too.
func TestOpen(t *testing.T) {
	path, cmd := catAs(t, "mapped file (deleted)")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mapping := func() Mapping { return codeOf(t, cmd.Process.Pid, path) }
	check := func(when string) {
		t.Helper()
		m := mapping()
		f, err := Open(cmd.Process.Pid, m)
		if err != nil {
			t.Errorf("%s (%+v): %v", when, m, err)
			return
		}
		defer f.Close()
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v, want %d", when, len(got), err, len(want))
		}
	}
	check("in place")
	if os.Geteuid() != 0 {
		t.Skip("deleted files are opened through /proc/PID/map_files, which needs root")
	}
	if err := os.WriteFile(path+"2", []byte("another"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"2", path); err != nil {
		t.Fatal(err)
	}
	check("replaced")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check("deleted")
	if err := unix.Mkfifo(path, 0o644); err != nil { // nobody writes: open(2) would wait
		t.Fatal(err)
	}
	check("a FIFO in its place")
	m := mapping()
	if f, err := openByPath(cmd.Process.Pid, m); err == nil || !errors.Is(err, errNotRegular) {
		t.Errorf("by its path: %v, %v", f, err)
	}
	if f, err := Open(1<<30, mapping()); err == nil {
		f.Close()
		t.Error("opened a file of no process")
	}
}

// A child that nobody waits for is a zombie when it has ended.
func TestEnded(t *testing.T) {
	c := exec.Command("cat")
	in, err := c.StdinPipe()
	if err != nil || c.Start() != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	if Ended(c.Process.Pid) || !Ended(1<<30) {
		t.Errorf("a process that runs: %t, none: %t", Ended(c.Process.Pid), Ended(1<<30))
	}
	in.Close()
	for end := time.Now().Add(time.Minute); !Ended(c.Process.Pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a zombie counts as running")
		}
	}
	if own := os.Getpid(); !ThreadEnded(c.Process.Pid, c.Process.Pid) || ThreadEnded(own, own) || !ThreadEnded(1, own) {
		t.Error("whether a thread has ended is wrong of a zombie, of this process, or of another one's thread")
	}
}

func TestSplitZeros(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, "node\x00": {"node"}, "node\x00\x00a b\x00": {"node", "", "a b"}, "title": {"title"},
		"title\x00\x00\x00": {"title"}, "\x00\x00": nil,
	} {
		if diff := cmp.Diff(want, splitZeros([]byte(text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestVariable(t *testing.T) {
	environment := []string{"HOME=/", "NODE_OPTIONS=--inspect", "XNODE_OPTIONS=no", "EMPTY="}
	cmd := exec.Command("cat")
	cmd.Env = environment
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	io.WriteString(in, "x")
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil { // now it is cat, not a copy of this test
		t.Fatal(err)
	}
	for name, want := range map[string]string{"NODE_OPTIONS": "--inspect", "EMPTY": "", "OPTIONS": ""} {
		if got := Variable(cmd.Process.Pid, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestKernelFiles: what reads as a regular file but is the kernel's is not opened, nor is a device.
func TestKernelFiles(t *testing.T) {
	root, err := OpenRootDir("/")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]error{
		"/proc/kmsg": errKernelFile, "/sys/kernel/vmcoreinfo": errKernelFile, "/dev/null": errNotRegular,
		"/proc/self/fd/0": nil, // a magic link: refused by openat2, whatever it leads to
	} {
		f, _, err := root.Open(name)
		if err == nil {
			f.Close()
		}
		if err == nil || want != nil && !errors.Is(err, want) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// TestRights: files below a process's root are opened as its user may, though this is root; a thread of this process
// keeps no other rights afterwards.
func TestRights(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take another user's rights")
	}
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	secret, shared, own := filepath.Join(dir, "secret"), filepath.Join(dir, "shared"), filepath.Join(dir, "own")
	for name, owner := range map[string][3]int{secret: {0, 0, 0o600}, shared: {0, 4711, 0o640},
		own: {4242, 4242, 0o400}} {
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chown(name, owner[0], owner[1]),
			os.Chmod(name, fs.FileMode(owner[2]))); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4242, Gid: 4242,
		Groups: []uint32{4711}}}
	in, err := cmd.StdinPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); cmd.Wait() }()
	root, err := OpenRoot(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for range 3 {
		for name, may := range map[string]bool{secret: false, shared: true, own: true} {
			f, _, err := root.Open(name)
			if err == nil {
				f.Close()
			}
			if (err == nil) != may || err != nil && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %v, may it: %v", name, err, may)
			}
		}
		if f, err := os.Open(secret); err != nil {
			t.Errorf("afterwards, as root: %v", err)
		} else {
			f.Close()
		}
	}
}

func TestParseRights(t *testing.T) {
	r, err := parseRights([]byte("Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t9 10 \n"))
	if diff := cmp.Diff(rights{4, 8, []uint32{9, 10}}, r, cmp.AllowUnexported(rights{})); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, status := range []string{"", "Uid:\t1\nGid:\t1\nGroups:\n",
		"Uid:\tx\tx\tx\tx\nGid:\t1\t1\t1\t1\nGroups:\n"} {
		if r, err := parseRights([]byte(status)); err == nil {
			t.Errorf("%q: %+v", status, r)
		}
	}
}

// TestWhich: processes are asked side by side, and those for which it holds are returned.
func TestWhich(t *testing.T) {
	var pids []int
	for pid := range 2 * mostAsked {
		pids = append(pids, pid)
	}
	began := time.Now()
	got := Which(pids, func(pid int) bool {
		time.Sleep(100 * time.Millisecond)
		return pid%3 == 0
	})
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%d processes are asked in %v", len(pids), took)
	}
	slices.Sort(got)
	for i, pid := range got {
		if pid != 3*i || len(got) != (len(pids)+2)/3 {
			t.Fatalf("%v", got)
		}
	}
}
