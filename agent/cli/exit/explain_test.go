package exit

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err      error
		capable  bool
		filtered bool
		want     string
	}{
		{errors.New("x"), false, true, "^x$"},
		{unix.EPERM, false, true, `^operation not permitted\nhotspan needs CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE: ` +
			`.*setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep /`},
		{os.ErrPermission, false, false, `CAP_BPF`},
		{unix.EPERM, true, false, `^operation not permitted\n` +
			`hotspan has CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE: hotspan doctor says more$`},
		{unix.ENOSYS, true, false, `\nthis kernel has no BPF`},
		{unix.ENOSYS, true, true, `^function not implemented\nhotspan runs under a seccomp filter`},
		{bpf.ErrNotSupported, true, true, `\nhotspan runs under a seccomp filter`},
		{unix.EPERM, true, true, `\nhotspan runs under a seccomp filter`},
	} {
		got := explainTo(c.err, c.capable, c.filtered)
		if !regexp.MustCompile(c.want).MatchString(got.Error()) || !errors.Is(got, c.err) {
			t.Errorf("%v: %v, want %s", c.err, got, c.want)
		}
	}
}

// TestFewFiles: where too few files may be open, the advice is there too where cilium/ebpf keeps only the text of that.
func TestFewFiles(t *testing.T) {
	for _, err := range []error{unix.EMFILE, fmt.Errorf("can't clone map: can't dup fd: %v", unix.EMFILE)} {
		if got := Explain(err).Error(); got != err.Error()+"\nraise the limit of open files (ulimit -n)" {
			t.Error(got)
		}
	}
}
