package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/process"
)

// leastLocked is more than the BPF program and its maps take, in bytes.
const leastLocked = 256 << 20

// lockedMemory checks RLIMIT_MEMLOCK. Before Linux 5.11 it bounded BPF programs and maps, root's too; nothing is to be
// said of later kernels. (kernel/bpf/syscall.c: bpf_charge_memlock, removed by "bpf: Eliminate rlimit-based memory
// accounting")
func lockedMemory(release string, limit uint64) []Finding {
	major, minor, ok := process.ParseRelease(release)
	if !ok || major > 5 || major == 5 && minor >= 11 || limit >= leastLocked {
		return nil
	}
	return []Finding{{Missing, "locked memory", fmt.Sprintf("up to %d KiB: before 5.11, Linux counts what BPF programs"+
		" use as locked memory, which must be unlimited (in a systemd unit LimitMEMLOCK=infinity)", limit>>10),
		"ulimit -l unlimited"}}
}

func ownLockedMemory(release string) []Finding {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) != nil {
		return nil
	}
	return lockedMemory(release, limit.Cur)
}
