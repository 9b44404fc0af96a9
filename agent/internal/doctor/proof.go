package doctor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/trigger"
)

// proveByLoading loads the BPF program, runs its timers for a moment without a process to sample, and unloads it.
func proveByLoading(found []Finding) Finding {
	f := Finding{What: "BPF program"}
	lacking := slices.ContainsFunc(found, func(f Finding) bool { return f.Mark == Missing })
	s, err := sampler.Open(sampler.Config{RingBytes: uint32(os.Getpagesize())})
	if err != nil {
		f.Mark, f.Found = Missing, whyNotLoaded(err, lacking)
		return f
	}
	defer s.Close()
	if err := s.Loaded(); err != nil {
		f.Mark, f.Found = Missing, whyNotLoaded(err, lacking)
		return f
	}
	if err := s.Start(trigger.Config{Rate: 1}); err != nil {
		f.Mark, f.Found = Missing, fmt.Sprintf("loaded, but without a timer: %v", err)
		if isFiltered(err) {
			f.Found = "loaded, but without a timer: hotspan runs under " + procs.SeccompAdvice
			return f
		}
		// Debian's and Ubuntu's kernels know levels above 2, which may refuse perf events whatever the capabilities.
		if n := sysctl("kernel/perf_event_paranoid"); n > 2 && errors.Is(err, os.ErrPermission) {
			f.Found += fmt.Sprintf("; kernel.perf_event_paranoid is %d", n)
			f.Fix = "sudo sysctl kernel.perf_event_paranoid=2"
		}
		return f
	}
	f.Found = "was loaded, run by a timer on each CPU, and removed again"
	return f
}

func whyNotLoaded(err error, lacking bool) string {
	limit, needed := procs.OpenFiles(1)
	switch {
	case errors.Is(err, unix.EMFILE), errors.Is(err, bpf.ErrNotSupported) && limit < needed: // as cilium/ebpf puts it
		return "refused: too few files may be open"
	case (isFiltered(err) || procs.Filtered() && errors.Is(err, bpf.ErrNotSupported)) && !lacking:
		return "refused: hotspan runs under " + procs.SeccompAdvice
	case errors.Is(err, unix.ENOSYS):
		return "this kernel has no BPF"
	case errors.Is(err, os.ErrPermission) && lacking:
		return "refused, as long as the above is missing"
	case errors.Is(err, os.ErrPermission) && lockedDown():
		return "refused: the kernel is started with lockdown=confidentiality, under which BPF may read no memory"
	}
	return err.Error()
}

func lockedDown() bool {
	b, _ := os.ReadFile("/sys/kernel/security/lockdown")
	return strings.Contains(string(b), "[confidentiality]")
}
