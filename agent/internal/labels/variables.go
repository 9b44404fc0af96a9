package labels

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	reqctx "github.com/hotspan/hotspan/context"
)

// Variables are the thread-local variables of a process from which contexts are read, by precedence. context is its
// process context, nil for none.
func Variables(p *process.Process, context *reqctx.ProcessContext) []bpf.Published {
	files, musl := p.Mappings.ThreadLocals()
	find := func(name string) []bpf.Place { return places(threadlocal.Find(p.Memory, musl, files, name)) }
	var all []bpf.Published
	add := func(kind uint32, wrapped int, at, hash []bpf.Place) {
		for i, place := range at {
			v := bpf.Published{Kind: kind, Wrapped: int32(wrapped), At: place}
			if i < len(hash) {
				v.Hash = hash[i]
			}
			all = append(all, v)
		}
	}
	if context != nil && context.HasThreadContexts() {
		add(bpf.PublishedNode, context.WrapOffset, find(threadlocal.NodeContext), nil)
		add(bpf.PublishedThread, -1, find(threadlocal.ThreadContext), nil)
	}
	if hasLabels(p.Memory, files) {
		add(bpf.PublishedNodeLabels, -1, find(threadlocal.LabelsHandle), find(threadlocal.LabelsHash))
		add(bpf.PublishedLabels, -1, find(threadlocal.LabelsSet), nil)
	}
	return all
}

// hasLabels reports whether a file has custom labels of the version that is known.
func hasLabels(mem io.ReaderAt, files []threadlocal.Loaded) bool {
	return slices.ContainsFunc(files, func(f threadlocal.Loaded) bool {
		at, ok := f.Defined[threadlocal.LabelsVersion]
		var b [4]byte
		if !ok {
			return false
		}
		_, err := mem.ReadAt(b[:], int64(f.Bias+at))
		return err == nil && binary.LittleEndian.Uint32(b[:]) == 1
	})
}

func places(list []threadlocal.Place) []bpf.Place {
	kinds := [...]uint32{
		threadlocal.Static:   bpf.PlaceStatic,
		threadlocal.DTVGlibc: bpf.PlaceDTVGlibc,
		threadlocal.DTVMusl:  bpf.PlaceDTVMusl,
	}
	var out []bpf.Place
	for _, p := range list {
		out = append(out, bpf.Place{Kind: kinds[p.Kind], Offset: p.Offset, Module: p.Module, Generation: p.Generation})
	}
	return out
}
