// Package slowfiles is a file system whose files are slow, for tests of what reads files of other processes.
package slowfiles

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// role is the variable that makes a test binary what it has to be: see Main.
const role = "HOTSPAN_SLOW_FILES"

// Main is to be called first in TestMain: in a process that Mount or Map has started it does that one's work, and does
// not return.
func Main() {
	words := strings.Split(os.Getenv(role), "\n")
	var err error
	switch words[0] {
	case "mount":
		err = mount(words[1], words[2])
	case "map":
		err = mapFile(words[1])
	case "lock":
		err = lock(words[1])
	default:
		return
	}
	fmt.Println(err)
	os.Exit(1)
}

// Never is the delay of a read that is not answered.
const Never = time.Duration(-1)

// Mount mounts a file system for the length of a test. Of a file called lookup it never says where it is. All others,
// whose names end with another letter each, have the bytes of the file content, or 4 KiB, and each read of them is
// answered after some time, or Never. Another process serves it: threads that wait keep the files of theirs open, also
// after a kill.
func Mount(t *testing.T, content string, delay time.Duration) (dir string) {
	t.Helper()
	dir, slow := MountFast(t, content)
	slow(delay)
	return dir
}

// MountFast is Mount of files that are served at once until slow is called.
func MountFast(t *testing.T, content string) (dir string, slow func(delay time.Duration)) {
	t.Helper()
	dir = t.TempDir()
	server, err := start(t, "mounted", "mount", dir, content)
	if err != nil {
		t.Skipf("FUSE cannot be mounted: %v", err)
	}
	return dir, func(delay time.Duration) {
		if _, err := fmt.Fprintln(server.input, delay); err != nil {
			t.Fatal(err)
		}
		if said, err := server.output.ReadString('\n'); err != nil {
			t.Fatal(said, err)
		}
	}
}

// Map starts a process for the length of a test that has mapped a file as code.
func Map(t *testing.T, file string) (pid int) { return MapAs(t, os.Getuid(), file) }

// MapAs is Map of another user's process.
func MapAs(t *testing.T, user int, file string) (pid int) {
	t.Helper()
	f, err := os.Open(file) // in whose folder the user may not look
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := startAs(t, user, f, "mapped", "map", "/proc/self/fd/3")
	if err != nil {
		t.Fatal(err)
	}
	return p.pid
}

// Lock starts a process for the length of a test that is about to map a file of Mount whose reads are Never answered,
// and keeps its whole address space locked meanwhile. It waits until that is so.
func Lock(t *testing.T, file string) (pid int) {
	t.Helper()
	p, err := start(t, "about to lock", "lock", file)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	return p.pid
}

// other is a process that start has started.
type other struct {
	pid    int
	input  io.Writer
	output *bufio.Reader
}

// start starts this program with a role, and waits until it says something. It ends with its input.
func start(t *testing.T, want string, words ...string) (*other, error) {
	t.Helper()
	return startAs(t, os.Getuid(), nil, want, words...)
}

// startAs is start for another user, whose process has a file as its descriptor 3.
func startAs(t *testing.T, user int, file *os.File, want string, words ...string) (*other, error) {
	t.Helper()
	c := exec.Command(os.Args[0], t.Name()) // by which it can be found
	if file != nil {
		c.ExtraFiles = []*os.File{file}
	}
	c.Env = append(os.Environ(), role+"="+strings.Join(words, "\n"))
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if user != os.Getuid() {
		c.Path = "/proc/self/exe" // the user may not enter the folder of a test
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}
	}
	end, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		end.Close()
		if words[0] == "lock" { // it ends with the file system
			go c.Wait()
			return
		}
		c.Wait()
	})
	p := &other{c.Process.Pid, end, bufio.NewReader(out)}
	if said, err := p.output.ReadString('\n'); said != want+"\n" {
		return nil, fmt.Errorf("%s %v", said, err)
	}
	return p, nil
}

// mapFile maps a file as code until standard input ends.
func mapFile(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	const code = unix.PROT_READ | unix.PROT_EXEC
	if _, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), code, unix.MAP_PRIVATE); err != nil {
		return fmt.Errorf("map %s: %w", file, err)
	}
	fmt.Println("mapped")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// lock has a page of a file read, which does not come, and maps the file so that the kernel first drops all of its
// pages: it waits for that one, and has locked the address space. (Linux: fs/fuse/file.c, fuse_file_mmap)
func lock(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	go f.Read(make([]byte, 1))
	time.Sleep(300 * time.Millisecond)
	direct, err := os.OpenFile(file, os.O_RDONLY|unix.O_SYNC, 0)
	if err != nil {
		return err
	}
	fmt.Println("about to lock")
	if _, err := unix.Mmap(int(direct.Fd()), 0, 4096, unix.PROT_READ, unix.MAP_PRIVATE); err != nil {
		return fmt.Errorf("map %s: %w", file, err)
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
