package otlp

import (
	"encoding/binary"
	"slices"

	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"

	"github.com/hotspan/hotspan/pprofx"
)

// frameTypes has the values of profile.frame.type. v8js, native and kernel are well-known values of the semantic
// conventions; V8's own code (builtins, compiled regular expressions) is v8js. The conventions have no value for
// WebAssembly and for machine code of unknown origin, and allow others. A marker is not code and has no type.
var frameTypes = map[pprofx.Kind]string{
	pprofx.JS:      "v8js",
	pprofx.Builtin: "v8js",
	pprofx.Regexp:  "v8js",
	pprofx.Native:  "native",
	pprofx.Kernel:  "kernel",
	pprofx.Wasm:    "wasm",
	pprofx.JIT:     "jit",
}

// buildIDKey is an attribute of mappings.
const buildIDKey = "process.executable.build_id.gnu"

// stack returns the index of a stack of the snapshot in the stack table.
func (e *encoder) stack(i int32) int32 {
	if e.stacks[i] == 0 {
		e.stacks[i] = e.addStack(e.snapshot.Stacks[i])
	}
	return e.stacks[i]
}

func (e *encoder) addStack(frames []int32) int32 {
	indices, key := e.indices[:0], e.key[:0]
	for len(frames) > 0 {
		var index int32
		index, frames = e.next(frames)
		indices = append(indices, index)
		key = binary.LittleEndian.AppendUint32(key, uint32(index))
	}
	e.indices, e.key = indices, key
	if i, ok := e.dict.stacks[string(key)]; ok {
		return i
	}
	i := add(&e.dict.tables.StackTable, &profilespb.Stack{LocationIndices: slices.Clone(indices)})
	e.dict.stacks[string(key)] = i
	return i
}

// next returns the location of the first physical frame, and the frames after it.
func (e *encoder) next(frames []int32) (int32, []int32) {
	first := frames[0]
	if e.alone[first] != 0 {
		return e.alone[first], frames[1:]
	}
	l, rest := e.physical(frames)
	index := e.location(l)
	if !e.snapshot.Frames[first].Inlined {
		e.alone[first] = index
	}
	return index, rest
}

// physical splits the first physical frame, with the functions inlined into it, from frames. An inlined frame without a
// caller, or of another kind than its caller (WebAssembly inlined into JavaScript), is a location of its own.
func (e *encoder) physical(frames []int32) (location, []int32) {
	l := location{lines: e.lines[:0]}
	for n, f := range frames {
		p := e.place(f)
		l.code, l.lines = p.code, append(l.lines, p.line)
		if n+1 < len(frames) && e.snapshot.Frames[f].Inlined && sameCode(p.code, e.place(frames[n+1]).code) {
			continue
		}
		frames = frames[n+1:]
		break
	}
	e.lines = l.lines
	return l, frames
}

// sameCode reports whether an inlined function may be a line of its caller's location, which has the caller's tier.
func sameCode(inlined, caller code) bool {
	inlined.tier = caller.tier
	return inlined == caller
}

func (e *encoder) place(frame int32) place {
	if p := e.places[frame]; p != nil {
		return *p
	}
	f := e.snapshot.Frames[frame]
	p := place{code: e.code(f), line: line{
		function: e.dict.function(function{name: e.dict.str(f.Function), file: e.dict.str(f.File)}),
		row:      int64(max(f.Line, 0)),
		column:   int64(max(f.Column, 0)),
	}}
	e.places[frame] = &p
	return p
}

func (e *encoder) code(f *pprofx.Frame) code {
	c := code{address: f.Address, tier: f.Tier}
	if f.Module != "" || f.BuildID != "" {
		m := mapping{file: e.dict.str(f.Module)}
		m.buildID = e.optional(buildIDKey, f.BuildID)
		c.mapping = e.dict.mapping(m)
	}
	c.frameType = e.optional("profile.frame.type", frameTypes[f.Kind])
	if frameTypes[f.Kind] != f.Kind.String() && f.Kind != pprofx.JS {
		c.kind = e.optional("hotspan.frame.kind", f.Kind.String())
	}
	return c
}
