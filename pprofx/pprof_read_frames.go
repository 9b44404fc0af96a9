package pprofx

import (
	"cmp"
	"path"
	"strings"
)

// framesOf returns the frames of a location: all but the last are inlined.
func (m *pprofMessage) framesOf(l *pprofLocationRefs) []*Frame {
	code := Frame{Kind: Native}
	if of := findID(m.mappings, l.mapping); of != nil {
		code.Module, code.BuildID = m.strings[of.file], m.strings[of.buildID]
	}
	code.Function = FileFunction(code.Module)
	if l.line == l.end {
		code.Kind = guessKind(&code)
		place(&code, l.address)
		return []*Frame{&code}
	}
	var frames []*Frame
	for i := l.line; i < l.end; i++ {
		line := &m.lines[i]
		f := code
		f.Line, f.Column, f.Inlined = int(max(int64(line.line), 0)), int(max(int64(line.column), 0)), i+1 < l.end
		of := findID(m.functions, line.function)
		f.Function, f.File = cmp.Or(m.strings[of.name], f.Function), m.strings[of.file]
		kind, name, ok := strings.Cut(m.strings[of.systemName], ":")
		if !ok || name != f.Function || f.Kind.UnmarshalText([]byte(kind)) != nil {
			f.Kind = guessKind(&f)
		}
		place(&f, l.address)
		frames = append(frames, &f)
	}
	return frames
}

// guessKind returns the kind of a frame of another tool.
func guessKind(f *Frame) Kind {
	switch {
	case strings.HasPrefix(f.Module, "[kernel"):
		return Kernel
	case strings.HasPrefix(f.File, "node:"):
		return JS
	}
	switch path.Ext(f.File) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return JS
	}
	return Native
}

// place corrects the module and the address of a frame whose kind is known. What moduleOf says stands for no file, and
// JavaScript is where it is for a moment only.
func place(f *Frame, address uint64) {
	if f.Module == v8Mapping || f.Kind == Native && f.Module == moduleOf(Native) {
		f.Module = ""
	}
	if f.Kind != JS {
		f.Address = address
	}
}
