package labels

import (
	"sync/atomic"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/layout"
)

// Configure makes the entry of a process in the BPF map, with what the BPF program needs to read stores by the rules of
// a tree. The caller adds mappings, the offset of the isolate and published variables.
func Configure(tree *reqctx.Tree, l *layout.Layout) *bpf.Process {
	config := &bpf.Process{V8: sampler.V8Layout(l), Id: processes.Add(1), StoreLabel: orNone(tree.Store)}
	if l.Require(process.ContextFrameFields...) != nil {
		config.V8.Cped = 0
	}
	if l.Require(process.AsyncHooksFields...) != nil {
		config.V8.FirstJsObject = 0
	}
	config.StorageName, config.N_roots = uint16(tree.StorageName), uint8(len(tree.Roots))
	for i, r := range tree.Roots {
		config.Roots[i] = bpf.Edge{
			Name: uint16(r.Name), To: orNone(r.Node), Label: orNone(r.Label), Unless: bpf.NoLabel,
		}
	}
	edges := 0
	for i, n := range tree.Nodes {
		node := &config.Nodes[i]
		node.First, node.N_edges = uint8(edges), uint8(len(n.Edges))
		node.Store = uint8(one(tree.IsStore(i)))
		for _, e := range n.Edges {
			kind := edgeKind(e.Kind)
			node.Kinds |= 1 << kind
			config.Edges[edges] = bpf.Edge{
				Kind: kind, Name: uint16(e.Slot), To: orNone(e.To), Label: orNone(e.Label), Unless: orNone(e.Unless),
			}
			if e.Label >= 0 {
				config.Edges[edges].Value = valueKind(&tree.Labels[e.Label])
			}
			edges++
		}
		config.Behind[i] = tree.Behind(i)
	}
	for kind, name := range nodejs.SymbolNames(l) {
		config.Symbols[kind] = bpfName(reqctx.Name{Kind: reqctx.SymbolName, Text: name})
		config.NameLengths |= 1 << (config.Symbols[kind].Length % 64)
	}
	for i, n := range tree.Names {
		config.Names[i] = bpfName(n)
		config.NameLengths |= 1 << (config.Names[i].Length % 64)
	}
	return config
}

// ConfigureUVPool adds where the threads of libuv's pool keep their work. The layout must have the VM state, which
// shows whether the thread that owns a request is collecting garbage.
func ConfigureUVPool(config *bpf.Process, p *process.Process) {
	pool, bias := p.Mappings.UVPool()
	if pool == nil || process.CanReadRequest(p.Layout) != nil || p.Layout.Require(layout.IsolateVMState) != nil {
		return
	}
	config.Pool = pool.BPF(bias)
}

// processes is the number of processes profiled so far. It gives each an id that is never reused, which the keys of BPF
// maps contain.
var processes atomic.Uint32

func edgeKind(k reqctx.StepKind) uint8 {
	switch k {
	case reqctx.Property:
		return bpf.EdgeProperty
	case reqctx.Element:
		return bpf.EdgeElement
	}
	return bpf.EdgeMapEntry
}

func valueKind(l *reqctx.TreeLabel) uint8 {
	switch {
	case l.Bytes:
		return bpf.ValueBytes
	case l.Time:
		return bpf.ValueTime
	}
	return bpf.ValuePlain
}

var nameKinds = map[reqctx.NameKind]uint8{
	reqctx.StringName: bpf.NameString, reqctx.SymbolName: bpf.NameSymbol,
	reqctx.GlobalName: bpf.NameRegistered, reqctx.PrivateName: bpf.NamePrivate,
}

// bpfName encodes a name as V8 stores it: Latin-1 if possible, else UTF-16.
func bpfName(n reqctx.Name) bpf.Name {
	out := bpf.Name{Kind: nameKinds[n.Kind]}
	units, width := n.Encode()
	out.Width = uint8(width)
	out.Length = uint16(len(units))
	for i, u := range units {
		at := i * int(out.Width)
		out.Chars[at/8] |= uint64(u) << (at % 8 * 8)
	}
	return out
}

// orNone converts -1 to the BPF program's NoNode and NoLabel, which are the same number.
func orNone(n int) uint8 {
	if n < 0 {
		return bpf.NoNode
	}
	return uint8(n)
}
