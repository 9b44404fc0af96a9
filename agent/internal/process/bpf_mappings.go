package process

import (
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// BPF writes the mappings in the format of the BPF program, which needs only where V8's code is and which unwind rules
// apply to the rest. If there is not enough room, it leaves out native mappings and counts them. If there is more, it
// adds places where code of files was, so that it is noticed what they are used for again.
func (ms *Mappings) BPF(to []bpf.Mapping) (n, left int) {
	all := ms.bpf()
	left = max(0, len(all)-len(to))
	room := left
	for i := len(all) - 1; i >= 0 && room > 0; i-- {
		if all[i].Kind == bpf.MappingNative {
			all = slices.Delete(all, i, i+1)
			room--
		}
	}
	return copy(to, ms.past.addTo(all, len(to))), left + ms.left
}

var bpfKinds = [...]uint32{
	Native: bpf.MappingNative, Builtins: bpf.MappingBuiltins, Generated: bpf.MappingGenerated,
}

func (ms *Mappings) bpf() []bpf.Mapping {
	var out []bpf.Mapping
	for _, r := range ms.regions {
		m := bpf.Mapping{Start: r.Start, End: r.End, Kind: bpfKinds[r.Kind]}
		if r.Kind == Native {
			m.Table, m.Pages = r.File.Slot, r.File.Pages
			m.Base = r.Bias
			if r.File.Rules != nil {
				m.Base += r.File.Rules.Base
			}
		} else if n := len(out); n > 0 && out[n-1].Kind == m.Kind && out[n-1].End == r.Start {
			out[n-1].End = r.End
			continue
		}
		out = append(out, m)
	}
	return out
}
