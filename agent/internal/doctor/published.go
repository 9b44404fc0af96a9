package doctor

import (
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	"github.com/hotspan/hotspan/context/published"
)

// publications lists what the process publishes now. A library may define a variable that nothing uses.
func (i *inspection) publications() []Publication {
	context, err := processContext(i.process)
	out := described(context, err)
	read := labels.Variables(i.process, context)
	files, _ := i.process.Mappings.ThreadLocals()
	for _, v := range bpf.PublishedVariables {
		n := 0
		for _, r := range read {
			if r.Kind == v.Kind {
				n++
			}
		}
		there := slices.ContainsFunc(files, func(f threadlocal.Loaded) bool {
			_, ok := f.Defined[v.Name]
			return ok
		})
		if n == 0 && !there {
			continue
		}
		one := Publication{What: v.What, Not: i.notRead(v, n, context)}
		if n > 1 {
			one.What = fmt.Sprintf("%d × %s", n, v.What)
		}
		out = append(out, one)
	}
	const most = len(bpf.Process{}.Published)
	if left := len(read) - most; left > 0 {
		out = append(out, Publication{
			What: fmt.Sprintf("the last %d of these", left), Not: fmt.Sprintf("only %d are", most),
		})
	}
	return out
}

// processContext reads the process context; nil if the process publishes none.
func processContext(p *process.Process) (*published.ProcessContext, error) {
	at := p.Mappings.ProcessContext()
	if at == 0 {
		return nil, nil
	}
	return published.ReadProcessContext(p.Memory, at)
}

// described describes a process context by the schema of its thread contexts.
func described(context *published.ProcessContext, err error) []Publication {
	const what = "process context"
	switch {
	case err != nil:
		return []Publication{{What: what, Not: err.Error()}}
	case context == nil:
		return nil
	case context.Schema == "":
		return []Publication{{What: what + " without a schema of threads"}}
	}
	return []Publication{{What: what + " with schema " + context.Schema}}
}

// notRead returns why a thread-local variable is not read, given the number of places where it was found; empty if it
// is read.
func (i *inspection) notRead(v bpf.PublishedVariable, found int, context *published.ProcessContext) string {
	switch {
	case v.Node && !i.Stores.InFrame:
		return "Node.js has no AsyncContextFrame here"
	case found > 0:
		return ""
	case v.Version != "":
		return "not ABI 1"
	case context == nil:
		return "there is no process context to go with it"
	case !context.HasThreadContexts():
		return "the process context names no schema that is known"
	}
	return "the dynamic linker has not placed it yet"
}
