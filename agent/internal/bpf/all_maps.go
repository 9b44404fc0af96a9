package bpf

import (
	"reflect"

	"github.com/cilium/ebpf"
)

// Maps returns the maps of the BPF program.
func (o *Objects) Maps() (all []*ebpf.Map) {
	for _, f := range reflect.ValueOf(&o.hotspanMaps).Elem().Fields() {
		if m, ok := f.Interface().(*ebpf.Map); ok && m != nil {
			all = append(all, m)
		}
	}
	return all
}
