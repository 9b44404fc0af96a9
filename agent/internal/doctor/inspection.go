package doctor

import (
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

// inspection is the inspection of one process.
type inspection struct {
	NodeProcess
	process *process.Process
	heap    *heap.Reader
	isolate uint64 // address of the main thread's isolate; 0 if it was not found
}

// watchShort is how long a process is watched to see where its stores are; watchLong, to see a store in it.
const (
	watchShort = 30 * time.Millisecond
	watchLong  = 2 * time.Second
)

// inspectProcess compares the layout with the process, and counts where its fields come from.
func inspectProcess(p *process.Process) *inspection {
	i := &inspection{process: p, heap: p.Heap()}
	i.PID, i.Executable, i.CommandLine = p.PID, p.Executable, procs.Arguments(p.PID)
	i.Node, i.V8 = p.Layout.Node, p.Layout.V8.String()
	i.Cannot = process.CanSample(p.Layout)
	i.Stores = inspect.ExpectedLocation(i.Node, i.CommandLine, procs.Variable(p.PID, "NODE_OPTIONS"))
	var err error
	if i.isolate, err = p.MainIsolate(); err == nil {
		i.Check.Result, err = p.Verify(i.watchStores())
	}
	if err != nil {
		i.Check.None = err.Error()
	}
	i.Layout = sources(p.Layout, i.Check.Fields)
	return i
}

// watchStores watches for stores to see where they are. It returns a comparison with the stores that it saw.
func (i *inspection) watchStores() verify.Comparison {
	var right []layout.Field
	seen := verify.Comparison{
		What: "stores", Run: func(*heap.Reader, uint64) ([]layout.Field, error) { return right, nil },
	}
	if process.CanReadRequest(i.process.Layout) != nil {
		return seen
	}
	inspect.NewIsolate(i.heap, i.isolate).Watch(watchShort, func(c inspect.Current) bool {
		var err error
		if c.Frame != 0 {
			if right, err = verify.AsyncContextFrame(i.heap, c.Frame); err != nil {
				return false
			}
		}
		i.Stores = c.Location()
		return true
	})
	return seen
}

// stores returns the first current stores that it sees.
func (i *inspection) stores() []inspect.Store {
	var out []inspect.Store
	reader := inspect.NewStoreReader(i.heap)
	inspect.NewIsolate(i.heap, i.isolate).Watch(watchLong, func(c inspect.Current) bool {
		i.Stores = c.Location()
		out = reader.Stores(c.Stores)
		return len(out) > 0
	})
	return out
}

// sources counts where the fields of a layout come from.
func sources(l *layout.Layout, compared []layout.Field) LayoutSources {
	s := LayoutSources{Gaps: len(consequences(l))}
	for f := range layout.NumFields {
		switch v := l.Values[f]; {
		case v.State != layout.Known:
		case strings.HasPrefix(v.Origin, "machine code"):
			s.Code++
		case strings.HasPrefix(v.Origin, "rule"):
			s.Rules++
			if !slices.Contains(compared, f) {
				s.Assumed = append(s.Assumed, f)
			}
		default:
			s.Constants++
		}
	}
	return s
}
