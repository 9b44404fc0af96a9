package pprof

import (
	"cmp"
	"path"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// framesOf returns the frames of a location: all but the last are inlined.
func (m *message) framesOf(l *locationRefs) []*pprofx.Frame {
	code := pprofx.Frame{Kind: pprofx.Native}
	if of := findID(m.mappings, l.mapping); of != nil {
		code.Module, code.BuildID = m.strings[of.file], m.strings[of.buildID]
	}
	code.Function = pprofx.FileFunction(code.Module)
	if l.line == l.end {
		code.Kind = guessKind(&code)
		place(&code, l.address)
		return []*pprofx.Frame{&code}
	}
	var frames []*pprofx.Frame
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
func guessKind(f *pprofx.Frame) pprofx.Kind {
	switch {
	case strings.HasPrefix(f.Module, "[kernel"):
		return pprofx.Kernel
	case strings.HasPrefix(f.File, "node:"):
		return pprofx.JS
	}
	switch path.Ext(f.File) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return pprofx.JS
	}
	return pprofx.Native
}

// place corrects the module and the address of a frame whose kind is known. What moduleOf says stands for no file, and
// JavaScript is where it is for a moment only.
func place(f *pprofx.Frame, address uint64) {
	if f.Module == v8Mapping || f.Kind == pprofx.Native && f.Module == moduleOf(pprofx.Native) {
		f.Module = ""
	}
	if f.Kind != pprofx.JS {
		f.Address = address
	}
}
