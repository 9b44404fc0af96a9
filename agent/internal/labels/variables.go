package labels

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	"github.com/hotspan/hotspan/context/published"
)

// Variables returns the thread-local variables of a process from which contexts are read, by precedence. context is its
// process context; nil if it has none.
func Variables(p *process.Process, context *published.ProcessContext) []bpf.Published {
	files, musl := p.Mappings.ThreadLocals()
	find := func(name string) []bpf.Place { return places(threadlocal.Find(p.Memory, musl, files, name)) }
	var all []bpf.Published
	for _, v := range bpf.PublishedVariables {
		one := bpf.Published{Kind: v.Kind, Wrapped: -1}
		switch {
		case v.Version != "" && !hasVersion(p.Memory, files, v.Version):
			continue
		case v.Version == "" && (context == nil || !context.HasThreadContexts()):
			continue
		case v.Kind == bpf.PublishedNode:
			one.Wrapped = int32(context.WrapOffset)
		}
		var hash []bpf.Place
		if v.Hash != "" {
			hash = find(v.Hash)
		}
		for i, at := range find(v.Name) {
			if one.At, one.Hash = at, (bpf.Place{}); i < len(hash) {
				one.Hash = hash[i]
			}
			all = append(all, one)
		}
	}
	return all
}

// hasVersion reports whether a file has version 1 at a symbol, the only one that hotspan reads.
func hasVersion(mem io.ReaderAt, files []threadlocal.Loaded, symbol string) bool {
	return slices.ContainsFunc(files, func(f threadlocal.Loaded) bool {
		at, ok := f.Defined[symbol]
		var b [4]byte
		if !ok {
			return false
		}
		_, err := mem.ReadAt(b[:], int64(f.Bias+at))
		return err == nil && binary.LittleEndian.Uint32(b[:]) == 1
	})
}

// placeKinds are the BPF program's, by those of package threadlocal.
var placeKinds = [...]uint32{
	threadlocal.Static:   bpf.PlaceStatic,
	threadlocal.DTVGlibc: bpf.PlaceDTVGlibc,
	threadlocal.DTVMusl:  bpf.PlaceDTVMusl,
}

func places(list []threadlocal.Place) []bpf.Place {
	var out []bpf.Place
	for _, p := range list {
		out = append(out, bpf.Place{
			Kind: placeKinds[p.Kind], Offset: p.Offset, Module: p.Module, Generation: p.Generation,
		})
	}
	return out
}
