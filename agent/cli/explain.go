package cli

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// explain adds to an error of the kernel how to fix it.
func explain(err error) error {
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%w\nhotspan needs CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE: run it as root, or once: "+
			"setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep %s", err, self())
	case errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("%w\nthis kernel has no BPF: hotspan needs Linux 5.17 or later", err)
	}
	return err
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		return "hotspan"
	}
	return path
}
