package trigger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/probe"
)

// rawTracepoint is what bpf(2) takes for BPF_RAW_TRACEPOINT_OPEN. (Linux, include/uapi/linux/bpf.h, union bpf_attr)
type rawTracepoint struct {
	name    uint64
	program uint32
	_       uint32
	cookie  uint64
}

// startTracepoint has a program run whenever a tracepoint of the kernel is passed. The library's
// link.AttachRawTracepoint has no cookie.
func startTracepoint(program *ebpf.Program, name string, cookie uint64) (io.Closer, error) {
	const open = 17 // BPF_RAW_TRACEPOINT_OPEN
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return nil, err
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(text)
	attr := &rawTracepoint{
		name: uint64(uintptr(unsafe.Pointer(text))), program: uint32(program.FD()), cookie: cookie,
	}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, open, uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
	if errno != 0 {
		return nil, fmt.Errorf("BPF raw tracepoint: %w", errno)
	}
	return os.NewFile(fd, "tracepoint"), nil
}

// checkArguments returns an error if the kernel has no tracepoint for a probe, or that has fewer arguments than the
// probe asks for.
func checkArguments(s *probe.Spec) error {
	n, err := arguments(s.Symbol)
	if want := s.Arguments(); err == nil && want > n {
		err = fmt.Errorf("arg%d: the tracepoint has %d arguments, from arg0 on", want-1, n)
	}
	if err != nil {
		return fmt.Errorf("probe %s: %w", s.Text, err)
	}
	return nil
}

// arguments returns how many arguments a tracepoint of the kernel or one of its modules has.
func arguments(name string) (int, error) {
	spec, err := btf.LoadKernelSpec()
	if err != nil {
		return 0, fmt.Errorf("types of the kernel: %w", err)
	}
	var t *btf.Typedef
	if err = spec.TypeByName(probe.TracepointType+name, &t); errors.Is(err, btf.ErrNotFound) {
		t, err = ofModule(name)
	}
	if err != nil {
		return 0, err
	}
	if pointer, ok := t.Type.(*btf.Pointer); ok {
		if function, ok := pointer.Target.(*btf.FuncProto); ok && len(function.Params) > 0 {
			return len(function.Params) - 1, nil
		}
	}
	return 0, fmt.Errorf("the kernel's type %s is no function", t.Name)
}

func ofModule(name string) (t *btf.Typedef, err error) {
	files, err := os.ReadDir(probe.KernelTypes)
	if err != nil {
		return nil, fmt.Errorf("types of the kernel: %w", err)
	}
	for _, f := range files {
		if f.Name() == "vmlinux" {
			continue
		}
		spec, err := btf.LoadKernelModuleSpec(f.Name())
		if err == nil && spec.TypeByName(probe.TracepointType+name, &t) == nil {
			return t, nil
		}
	}
	return nil, probe.NoTracepoint(name)
}
