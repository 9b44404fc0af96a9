package doctor

import (
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/v8/layout"
)

// Detail is what is said of a process that was asked for by pid.
type Detail struct {
	Consequences []string        // of what is unknown of the layout
	Code, Files  int             // executable mappings, and files that are mapped so
	LeftOut      int             // of these mappings, for which the BPF program has no room
	Problems     []string        // of the files: no symbols, no unwind rules
	Published    []Publication   // for readers outside it
	Stores       []inspect.Store // in the frame or resource that was current when the process was looked at
	Labels       []string        // rules that would make labels of what these have, as a shell takes them
}

func (i *inspection) detail() *Detail {
	d := &Detail{Consequences: consequences(i.process.Layout)}
	d.mappings(i.process)
	if i.isolate != 0 && process.CanReadRequest(i.process.Layout) == nil {
		d.Stores = i.stores()
	}
	d.Published = i.publications()
	for _, s := range d.Stores {
		for _, rule := range s.Rules() {
			d.Labels = append(d.Labels, inspect.Quoted(rule))
		}
	}
	slices.Sort(d.Labels)
	d.Labels = slices.Compact(d.Labels)
	return d
}

// mappings tells of all files that have code in the process.
func (d *Detail) mappings(p *process.Process) {
	files := p.Mappings.Files()
	d.Code, d.Files = p.Mappings.Executable(), len(files)
	for _, f := range files {
		for _, err := range f.Problems {
			d.Problems = append(d.Problems, err.Error())
		}
	}
	_, d.LeftOut = p.Mappings.BPF(make([]bpf.Mapping, len(bpf.Process{}.Mappings)))
}

// groups say what is lost with the fields in them. The first group that has a field counts.
var groups = []struct {
	lost   string
	fields []layout.Field
}{
	{"the process cannot be sampled", slices.Concat(process.NamingFields, process.NamingFieldsIfAny)},
	{"samples have no labels", process.ContextFrameFields},
	{"isolates are not found: states of threads are not told, and samples have no labels",
		[]layout.Field{layout.IsolateTLS, layout.IsolateKey}},
	{"the state of a thread (JavaScript, collection, compiler) is not told", []layout.Field{layout.IsolateVMState}},
	{"collections are told by the state alone", []layout.Field{layout.IsolateHeap, layout.HeapGCState}},
	{"functions that were inlined are not told", []layout.Field{layout.DeoptLiterals, layout.DeoptInlining, layout.DeoptSFI, layout.SFIWrapperShared}},
	{"stacks end where functions leave optimised code", []layout.Field{layout.DeoptimizerFrom, layout.DeoptimizerInput, layout.FrameDescriptionContent}},
	{"functions that were inlined where optimised code is left are not told", []layout.Field{layout.DeoptExitStart, layout.DeoptExitSize}},
	{"WebAssembly frames have no kind", []layout.Field{layout.WasmFrameMarker}},
	{"numbers as labels are not read", []layout.Field{layout.HeapNumberValue, layout.TypeHeapNumber}},
}

// consequences names each unknown field with what is lost by it, and adds what the layout itself has to say.
func consequences(l *layout.Layout) []string {
	var out []string
	for f := range layout.NumFields {
		if l.Values[f].State == layout.Unresolved {
			out = append(out, fmt.Sprintf("%v is unknown: %s", f, lost(f)))
		}
	}
	for _, n := range l.Notes {
		if !slices.ContainsFunc(out, func(s string) bool { return len(s) > len(n) && s[:len(n)] == n }) {
			out = append(out, n)
		}
	}
	return out
}

func lost(f layout.Field) string {
	for _, g := range groups {
		if slices.Contains(g.fields, f) {
			return g.lost
		}
	}
	return "some names or lines may be missing"
}
