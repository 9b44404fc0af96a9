package agent

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// tryProgram is the proof: it loads the BPF program, runs its timers for a moment with no process to sample, and takes
// all away again.
func tryProgram(found []Finding) Finding {
	f := Finding{What: "BPF program", Found: "loaded, run on each CPU's timer, and removed again"}
	err := runProgram()
	if err == nil {
		return f
	}
	f.Mark, f.Found = Missing, err.Error()
	switch {
	case errors.Is(err, unix.ENOSYS):
		f.Found = "this kernel has no BPF"
	case errors.Is(err, os.ErrPermission) && lacksRights(found):
		f.Found = "refused, as long as the above is missing"
	case errors.Is(err, os.ErrPermission) && sysctl("kernel/perf_event_paranoid") > 2:
		f.Mend = "sudo sysctl kernel.perf_event_paranoid=2"
	}
	return f
}

func lacksRights(found []Finding) bool {
	for _, f := range found {
		if f.Mark == Missing {
			return true
		}
	}
	return false
}

func runProgram() error {
	s, err := sampler.Open(sampler.Config{RingBytes: uint32(os.Getpagesize())})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Start(1)
}
