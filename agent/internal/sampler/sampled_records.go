package sampler

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// SampledRecords returns the BPF map of sampled_record (bpf/thread_context.h), which a process that is profiled may map
// to learn which of its contexts are in samples, before it frees them. All that it can break there is what it learns.
// The caller closes the file.
func (s *Sampler) SampledRecords() (*os.File, error) {
	mask := bpf.SampledRecord{Record: bpf.SampledRecords - 1}
	if err := s.objects.SampledRecords.Put(uint32(0), &mask); err != nil {
		return nil, fmt.Errorf("keep the records of samples: %w", err)
	}
	fd, err := unix.FcntlInt(uintptr(s.objects.SampledRecords.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("share the records of samples: %w", err)
	}
	return os.NewFile(uintptr(fd), "sampled records"), nil
}
