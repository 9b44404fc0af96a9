package procs

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Operations of FUSE, and the node of its root. (include/uapi/linux/fuse.h)
const (
	fuseLookup, fuseForget, fuseGetattr, fuseOpen, fuseRead   = 1, 2, 3, 14, 15
	fuseStatfs, fuseRelease, fuseFlush, fuseInit, fuseForget2 = 17, 18, 25, 26, 42
	fuseInterrupt                                             = 36
	fuseRoot                                                  = 1
)

// fuseDir is the variable that makes this program a server of slow files.
const fuseDir = "HOTSPAN_SLOW_FILES"

// slowFiles mounts a file system that never answers: of a file called lookup, where it is; of one called read, what is
// in it. Another process serves it: threads that wait keep the files of theirs open, also after a kill.
func slowFiles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), fuseDir+"="+dir)
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	end, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end.Close()
		server.Wait()
	})
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || said != "mounted\n" {
		t.Skipf("FUSE cannot be mounted: %s %v", said, err)
	}
	return dir
}

// slowFilesLife bounds the life of a server whose test was killed and cannot end while its threads wait.
const slowFilesLife = time.Minute

// mountSlowFiles serves slow files until standard input ends. That ends what waits.
func mountSlowFiles(dir string) error {
	fuse, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse.Fd())
	if err := unix.Mount("hotspan-test", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return err
	}
	end := func() { unix.Unmount(dir, unix.MNT_DETACH|unix.MNT_FORCE) }
	time.AfterFunc(slowFilesLife, end)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		end()
	}()
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		end()
	}()
	fmt.Println("mounted")
	serveSlowFiles(int(fuse.Fd()))
	return nil
}

func serveSlowFiles(fd int) {
	b := make([]byte, 1<<20)
	for {
		n, err := unix.Read(fd, b)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return // it was unmounted
		}
		node := binary.LittleEndian.Uint64(b[16:])
		name := strings.TrimRight(string(b[40:n]), "\x00")
		code, answer := int32(0), []byte(nil)
		switch binary.LittleEndian.Uint32(b[4:]) {
		case fuseForget, fuseForget2, fuseInterrupt, fuseRead:
			continue
		case fuseInit:
			answer = make([]byte, 64)
			copy(answer, []byte{7, 0, 0, 0, 31})
		case fuseLookup:
			if name == "lookup" {
				continue
			}
			answer = append(make([]byte, 40), attributes(2)...)
			answer[0] = 2
		case fuseGetattr:
			answer = append(make([]byte, 16), attributes(node)...)
		case fuseOpen:
			answer = make([]byte, 16)
		case fuseStatfs:
			answer = make([]byte, 80)
		case fuseRelease, fuseFlush:
		default:
			code = -int32(unix.ENOSYS)
		}
		out := binary.LittleEndian.AppendUint32(nil, uint32(16+len(answer)))
		out = binary.LittleEndian.AppendUint32(out, uint32(code))
		out = append(append(out, b[8:16]...), answer...)
		unix.Write(fd, out)
	}
}

// attributes are those of the root, or of a file of 4 KiB.
func attributes(node uint64) []byte {
	b := make([]byte, 88)
	mode := uint32(unix.S_IFREG | 0o644)
	if node == fuseRoot {
		mode = unix.S_IFDIR | 0o755
	}
	binary.LittleEndian.PutUint64(b, node)
	binary.LittleEndian.PutUint64(b[8:], 4096)
	binary.LittleEndian.PutUint32(b[60:], mode)
	binary.LittleEndian.PutUint32(b[64:], 1)
	return b
}

// TestSlowFiles: a file system that never answers delays hotspan by fileTimeout, and keeps nothing when it has gone.
func TestSlowFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	t.Run("waiting", func(t *testing.T) {
		dir := slowFiles(t)
		root, err := OpenRootDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		t.Run("all", func(t *testing.T) { waitForSlowFiles(t, dir, root) })
	})
	for end := time.Now().Add(5 * time.Second); waiting.Load() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d calls still wait", waiting.Load())
		}
	}
}

func waitForSlowFiles(t *testing.T, dir string, root *RootDir) {
	f, _, err := root.Open("/read")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	p := NewTimed(f)
	for name, do := range map[string]func() error{
		"open": func() error { _, _, err := root.Open("/lookup"); return err },
		"stat": func() error { _, err := Stat(filepath.Join(dir, "lookup")); return err },
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
