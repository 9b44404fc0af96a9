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

// leastGroup is what a control group is to leave the agent, in bytes: with 70 MiB the kernel killed it while it parsed
// its first Node.js, and with 80 it went on.
const leastGroup = 100 << 20

// mostPercent and mostMemory, in MiB, are more than any machine has: what is more is a slip.
const (
	mostPercent = 1_000_000
	mostMemory  = 1 << 20
)

// bound puts the limits into a configuration. Where a control group has less memory, the agent keeps to that.
func (f *limitFlags) bound(config *agent.Config) error {
	switch {
	case f.CPUPercent < 0:
		return exit.Usagef("cpu-percent %v: at least 0, which is for any", f.CPUPercent)
	case f.CPUPercent > mostPercent:
		return exit.Usagef("cpu-percent %v: at most %d, or 0 for any", f.CPUPercent, mostPercent)
	case f.MemoryMIB != 0 && f.MemoryMIB < leastMemory:
		return exit.Usagef("memory-mib %d: at least %d, or 0 for any", f.MemoryMIB, leastMemory)
	case f.MemoryMIB > mostMemory:
		return exit.Usagef("memory-mib %d: at most %d, or 0 for any", f.MemoryMIB, mostMemory)
	}
	config.CPUBudget, config.MemoryLimit = f.CPUPercent/100, int64(f.MemoryMIB)<<20
	keepWithin(cgroup.MemoryLimit(), config)
	return nil
}

// keepWithin keeps the agent within the memory that control groups leave it, in bytes; math.MaxInt64: any.
func keepWithin(group int64, config *agent.Config) {
	if group == math.MaxInt64 {
		return
	}
	if group < leastGroup {
		config.Log.Warn("a control group leaves little memory: the kernel may kill hotspan while it reads a Node.js",
			"MiB", group>>20, "needed", leastGroup>>20)
	}
	left := group / 4 * 3 // the kernel counts page tables, buffers and files too
	config.MemoryLimit = min(left, cmp.Or(config.MemoryLimit, left))
}
