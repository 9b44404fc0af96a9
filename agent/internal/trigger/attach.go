package trigger

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/probe"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// attach puts a probe of a kind on a place in a file that a process has mapped. After procs.ErrSlow the kernel may
// still read the file.
func attach(o *bpf.Objects, kind probe.Kind, pid int, number uint32, at probe.Place) ([]io.Closer, error) {
	path, cookie := fmt.Sprintf("/proc/self/fd/%d", at.File.Fd()), uint64(number)
	file, err := procs.Within(func() (*link.Executable, error) { return link.OpenExecutable(path) },
		func(*link.Executable) {})
	if err != nil {
		return nil, err
	}
	var all []io.Closer
	for _, site := range at.Sites {
		c, err := procs.Within(func() (io.Closer, error) { // the kernel reads the instruction from the file
			if kind == probe.Uretprobe {
				return startSession(o.HotspanUretprobe, path, site.Offset, cookie, pid)
			}
			return file.Uprobe("", o.HotspanUprobe, &link.UprobeOptions{
				Address: site.Offset, RefCtrOffset: site.Semaphore, PID: pid, Cookie: cookie,
			})
		}, func(c io.Closer) { c.Close() })
		if err != nil {
			closeAll(all)
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func closeAll(all []io.Closer) {
	for _, c := range all {
		c.Close()
	}
}

// sessionLink is what bpf(2) takes for BPF_LINK_CREATE. (Linux, include/uapi/linux/bpf.h, union bpf_attr, link_create)
type sessionLink struct {
	program, target, attachType, flags    uint32
	path, offsets, refCtrOffsets, cookies uint64
	count, multiFlags, pid                uint32
	_                                     uint32
}

// startSession has a program run when a function of a process is called, and, as that says, when it returns. The
// library can only do one of both: link.UprobeMulti has another type. It takes Linux 6.13.
func startSession(program *ebpf.Program, path string, offset, cookie uint64, pid int) (io.Closer, error) {
	const create, session = 28, 57 // BPF_LINK_CREATE, BPF_TRACE_UPROBE_SESSION
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return nil, err
	}
	address := func(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
	var pins runtime.Pinner
	defer pins.Unpin()
	for _, p := range []any{name, &offset, &cookie} {
		pins.Pin(p)
	}
	attr := &sessionLink{
		program: uint32(program.FD()), attachType: session, count: 1, pid: uint32(pid),
		path: address(unsafe.Pointer(name)), offsets: address(unsafe.Pointer(&offset)),
		cookies: address(unsafe.Pointer(&cookie)),
	}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, create, uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
	if errno != 0 {
		return nil, fmt.Errorf("BPF link: %w", errno)
	}
	return os.NewFile(fd, "uretprobe"), nil
}
