package daemon

import (
	"cmp"
	"math"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/internal/cgroup"
)

// limitFlags say how much the agent may take of the machine.
type limitFlags struct {
	CPUPercent float64 `name:"cpu-percent" default:"1" help:"${cpu} (${default})." placeholder:"PERCENT"`
	MemoryMIB  int     `name:"memory-mib" default:"150" help:"${memory} (${default})." placeholder:"MIB"`
}

// leastMemory is what the agent needs before it profiles anything, in MiB.
const leastMemory = 32

// bound puts the limits into a configuration. Where a control group has less memory, the agent keeps to that.
func (f *limitFlags) bound(config *agent.Config) error {
	if f.CPUPercent < 0 || f.CPUPercent > 1e6 || f.MemoryMIB != 0 && f.MemoryMIB < leastMemory || f.MemoryMIB > 1<<20 {
		return exit.Usagef("cpu-percent %v, memory-mib %d: want at least 0, and 0 or at least %d", f.CPUPercent,
			f.MemoryMIB, leastMemory)
	}
	config.CPUBudget, config.MemoryLimit = f.CPUPercent/100, int64(f.MemoryMIB)<<20
	if group := cgroup.MemoryLimit(); group/4*3 < cmp.Or(config.MemoryLimit, math.MaxInt64) {
		config.MemoryLimit = group / 4 * 3 // the kernel counts page tables, buffers and files too
	}
	return nil
}
