package doctor

import (
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/agent/internal/process"
)

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

// mappings counts the executable mappings, and collects the problems of their files.
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
