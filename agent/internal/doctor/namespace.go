package doctor

import (
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// pidNamespace checks that pids here are those of the kernel, by which samples name processes. There is nothing to say
// if they are.
func pidNamespace(host bool) []Finding {
	if host {
		return nil
	}
	return []Finding{{Missing, "PID namespace", "process ids here are not the kernel's, which samples have: " +
		"run hotspan in the host's PID namespace", "docker run --pid=host …"}}
}

func ownPIDNamespace() []Finding { return pidNamespace(procs.InHostPIDNamespace()) }
