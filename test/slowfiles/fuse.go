package slowfiles

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Operations of FUSE, and the node of its root. (include/uapi/linux/fuse.h)
const (
	fuseLookup, fuseForget, fuseGetattr, fuseOpen, fuseRead   = 1, 2, 3, 14, 15
	fuseStatfs, fuseRelease, fuseFlush, fuseInit, fuseForget2 = 17, 18, 25, 26, 42
	fuseInterrupt                                             = 36
	fuseRoot                                                  = 1
	direct, keepCache                                         = 1, 2 // flags of a file that is open
)

// mostAhead is what the kernel may read at a time, in bytes.
const mostAhead = 128 << 10

// life bounds the life of a server whose test was killed and cannot end while its threads wait.
const life = 3 * time.Minute

// files are what is served.
type files struct {
	fuse    int
	content []byte
	delay   atomic.Int64 // a time.Duration
}

// mount serves files until standard input ends. That ends what waits. Its lines say from then on how long each read
// takes.
func mount(dir, content string) error {
	f := files{content: make([]byte, 4096)}
	var err error
	if content != "" {
		if f.content, err = os.ReadFile(content); err != nil {
			return err
		}
	}
	fuse, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer fuse.Close() // not before: the runtime closes what nobody refers to
	f.fuse = int(fuse.Fd())
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", f.fuse)
	if err := unix.Mount("hotspan-test", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return err
	}
	end := func() { unix.Unmount(dir, unix.MNT_DETACH|unix.MNT_FORCE) }
	time.AfterFunc(life, end)
	go func() {
		f.slowDown(os.Stdin)
		end()
	}()
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		end()
	}()
	fmt.Println("mounted")
	err = f.serve()
	end() // it may be under way, and ends with this process
	return err
}

// slowDown reads lines with delays, and says of each when it holds.
func (f *files) slowDown(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		delay, err := time.ParseDuration(lines.Text())
		if err != nil {
			return
		}
		f.delay.Store(int64(delay))
		fmt.Println("from now on", delay)
	}
}

// serve answers requests until the file system is unmounted.
func (f *files) serve() error {
	b := make([]byte, 1<<20)
	for {
		n, err := unix.Read(f.fuse, b)
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT):
		case err != nil:
			return err
		default:
			f.request(b[:n])
		}
	}
}

// request answers a request, at once or on a goroutine.
func (f *files) request(b []byte) {
	id, node := [8]byte(b[8:16]), binary.LittleEndian.Uint64(b[16:])
	switch binary.LittleEndian.Uint32(b[4:]) {
	case fuseForget, fuseForget2, fuseInterrupt:
	case fuseInit:
		answer := make([]byte, 64)
		copy(answer, []byte{7, 0, 0, 0, 31})
		binary.LittleEndian.PutUint32(answer[8:], mostAhead)
		f.answer(id, 0, answer)
	case fuseLookup:
		if name := strings.TrimRight(string(b[40:]), "\x00"); name != "lookup" {
			node := name[len(name)-1] // of the root it is 1
			answer := append(make([]byte, 40), f.attributes(uint64(node))...)
			answer[0] = node
			f.answer(id, 0, answer)
		}
	case fuseGetattr:
		f.answer(id, 0, append(make([]byte, 16), f.attributes(node)...))
	case fuseOpen:
		answer := make([]byte, 16)
		if binary.LittleEndian.Uint32(b[40:])&unix.O_SYNC == unix.O_SYNC {
			answer[8] = direct | keepCache
		}
		f.answer(id, 0, answer)
	case fuseRead:
		if delay := time.Duration(f.delay.Load()); delay >= 0 {
			from := min(binary.LittleEndian.Uint64(b[48:]), uint64(len(f.content)))
			to := min(from+uint64(binary.LittleEndian.Uint32(b[56:])), uint64(len(f.content)))
			time.AfterFunc(delay, func() { f.answer(id, 0, f.content[from:to]) })
		}
	case fuseStatfs:
		f.answer(id, 0, make([]byte, 80))
	case fuseRelease, fuseFlush:
		f.answer(id, 0, nil)
	default:
		f.answer(id, unix.ENOSYS, nil)
	}
}

func (f *files) answer(id [8]byte, code syscall.Errno, answer []byte) {
	out := binary.LittleEndian.AppendUint32(nil, uint32(16+len(answer)))
	out = binary.LittleEndian.AppendUint32(out, uint32(-int32(code)))
	unix.Write(f.fuse, append(append(out, id[:]...), answer...))
}

// attributes are those of the root, or of the file.
func (f *files) attributes(node uint64) []byte {
	b := make([]byte, 88)
	mode := uint32(unix.S_IFREG | 0o755)
	if node == fuseRoot {
		mode = unix.S_IFDIR | 0o755
	}
	binary.LittleEndian.PutUint64(b, node)
	binary.LittleEndian.PutUint64(b[8:], uint64(len(f.content)))
	binary.LittleEndian.PutUint32(b[60:], mode)
	binary.LittleEndian.PutUint32(b[64:], 1)
	return b
}
