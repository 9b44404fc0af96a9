package doctor

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// nodeProcesses finds the Node processes that run, by pid. hidden counts processes that this user may not inspect and
// whose names are not Node's.
func nodeProcesses() (list []NodeProcess, hidden int, err error) {
	pids, err := procs.All()
	if err != nil {
		return nil, 0, fmt.Errorf("list processes: %w", err)
	}
	slices.Sort(pids)
	files := elffile.NewLayoutCache()
	for _, pid := range pids {
		p, err := process.Open(pid, files)
		switch {
		case err == nil:
			list = append(list, inspectProcess(p).NodeProcess)
		case isDenied(err):
			switch args := procs.Arguments(pid); {
			case len(args) == 0: // a kernel thread
			case namedNode(args[0]):
				list = append(list, deniedProcess(pid, err))
			default:
				hidden++
			}
		}
	}
	return list, hidden, nil
}

// deniedProcess describes a process that this user may not inspect.
func deniedProcess(pid int, err error) NodeProcess {
	return NodeProcess{PID: pid, CommandLine: procs.Arguments(pid), Denied: denial(pid, err)}
}

func namedNode(arg string) bool {
	name := filepath.Base(arg)
	return name == "node" || name == "nodejs"
}

// nodeProcess inspects one process in detail. The list has that process alone.
func nodeProcess(pid int) ([]NodeProcess, error) {
	p, err := process.Open(pid, elffile.NewCache(nil))
	if isDenied(err) {
		return []NodeProcess{deniedProcess(pid, err)}, nil
	}
	if err != nil {
		return nil, err
	}
	i := inspectProcess(p)
	i.Detail = i.detail()
	return []NodeProcess{i.NodeProcess}, nil
}
