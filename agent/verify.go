package agent

import (
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	memory "github.com/hotspan/hotspan/v8/target"
	"github.com/hotspan/hotspan/v8/verify"
)

// verify compares a layout with the running process, while it is sampled, and says loudly what does not fit: an
// unknown V8 is tried, not refused.
func (a *Agent) verify(pid int, l *layout.Layout, bias uint64) {
	maps, err := procs.Maps(pid)
	if err != nil {
		return // it has ended
	}
	mem := memory.Live{PID: pid}
	p := looked{NodeProcess: NodeProcess{PID: pid}, l: l, mem: mem, maps: maps, bias: bias, r: heap.NewReader(mem, l)}
	if err := p.findIsolate(); err != nil {
		a.log.Debug("layout not compared with the process", "pid", pid, "why", err)
		return
	}
	check := verify.Isolate(p.r, p.at, asyncHooks)
	a.log.Debug("layout compared with the process", "pid", pid, "right", len(check.Fields), "wrong", len(check.Wrong))
	for _, wrong := range check.Wrong {
		a.log.Warn("what is known of V8 "+l.V8.String()+" does not fit this process, names or labels may be missing", "pid", pid, "why", wrong)
	}
}
