package pprofx

import (
	"cmp"
	"path"
	"strings"

	"github.com/google/pprof/profile"
)

// readPprofLocation returns the frames of a location: all but the last are inlined.
func readPprofLocation(l *profile.Location) []*Frame {
	code := Frame{Function: "[unknown]", Kind: Native}
	if m := l.Mapping; m != nil {
		code.Module, code.BuildID = m.File, m.BuildID
	}
	if len(l.Line) == 0 {
		code.Kind = guessKind(&code)
		place(&code, l)
		return []*Frame{&code}
	}
	var frames []*Frame
	for i, line := range l.Line {
		f := code
		f.Line, f.Column, f.Inlined = int(max(line.Line, 0)), int(max(line.Column, 0)), i+1 < len(l.Line)
		systemName := ""
		if of := line.Function; of != nil {
			f.Function, f.File, systemName = cmp.Or(of.Name, f.Function), of.Filename, of.SystemName
		}
		kind, name, ok := strings.Cut(systemName, ":")
		if !ok || name != f.Function || f.Kind.UnmarshalText([]byte(kind)) != nil {
			f.Kind = guessKind(&f)
		}
		place(&f, l)
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
func place(f *Frame, l *profile.Location) {
	if f.Module == v8Mapping || f.Kind == Native && f.Module == moduleOf(Native) {
		f.Module = ""
	}
	if f.Kind != JS {
		f.Address = l.Address
	}
}
