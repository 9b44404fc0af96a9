package exit

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Explain adds to an error of the kernel how to fix it.
func Explain(err error) error {
	// Of EMFILE cilium/ebpf keeps the text only, or says that something is not supported.
	limit, needed := procs.OpenFiles(1)
	few := err != nil && strings.Contains(err.Error(), unix.EMFILE.Error())
	if few || errors.Is(err, bpf.ErrNotSupported) && limit < needed {
		return fmt.Errorf("%w\nraise the limit of open files (ulimit -n)", err)
	}
	return explainTo(err, procs.Capable(unix.CAP_BPF, unix.CAP_PERFMON, unix.CAP_SYS_PTRACE), procs.Filtered())
}

// explainTo is explain for who has the capabilities that hotspan needs, or not, and a seccomp filter or none.
func explainTo(err error, capable, filtered bool) error {
	err = withoutLimit(err)
	denied := errors.Is(err, unix.EPERM) || errors.Is(err, os.ErrPermission) // cilium/ebpf's EPERM is not the latter
	missing := errors.Is(err, unix.ENOSYS)
	switch {
	case filtered && (denied && capable || missing || errors.Is(err, bpf.ErrNotSupported)):
		return fmt.Errorf("%w\nhotspan runs under "+procs.SeccompAdvice, err)
	case denied && capable:
		return fmt.Errorf("%w\nhotspan has CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE: hotspan doctor says more", err)
	case denied:
		return fmt.Errorf("%w\nhotspan needs CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE: run it as root, or once: "+
			"setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep %s", err, self())
	case missing:
		return fmt.Errorf("%w\nthis kernel has no BPF: hotspan needs Linux 5.17 or later", err)
	}
	return err
}

// limitAdvice is what cilium/ebpf says wherever the kernel denies a BPF map. Kernels that hotspan runs on have no such
// limit.
const limitAdvice = " (MEMLOCK may be too low, consider rlimit.RemoveMemlock)"

// withoutLimit returns an error without that advice.
func withoutLimit(err error) error {
	if err == nil || !strings.Contains(err.Error(), limitAdvice) {
		return err
	}
	return &shortened{err, strings.ReplaceAll(err.Error(), limitAdvice, "")}
}

// shortened is an error with another text.
type shortened struct {
	error
	text string
}

func (s *shortened) Error() string { return s.text }
func (s *shortened) Unwrap() error { return s.error }

func self() string {
	path, err := os.Executable()
	if err != nil {
		return "hotspan"
	}
	return path
}
