package pprofx

import (
	"encoding/binary"
	"strings"

	"github.com/google/pprof/profile"
)

// v8Mapping is the file name of the mapping that stands for all JIT-compiled code.
const v8Mapping = "[v8]"

// pprofLocations interns the mappings, functions and locations of a profile.
type pprofLocations struct {
	p         *profile.Profile
	mappings  map[mappingKey]*profile.Mapping
	functions map[functionKey]*profile.Function
	locations map[string]*profile.Location
	key       []byte // scratch
}

type mappingKey struct{ module, buildID string }

type functionKey struct {
	name, file string
	kind       Kind
}

func newPprofLocations(p *profile.Profile) *pprofLocations {
	return &pprofLocations{
		p:         p,
		mappings:  make(map[mappingKey]*profile.Mapping),
		functions: make(map[functionKey]*profile.Function),
		locations: make(map[string]*profile.Location),
	}
}

// putFirst makes the mapping of module the first if a frame is in it: to pprof, the first is the main executable.
func (b *pprofLocations) putFirst(module string, frames []*Frame) {
	for _, f := range frames {
		if module != "" && f.Module == module {
			b.mapping(f)
			return
		}
	}
}

// ofStack returns the locations of a stack, leaf first, and a key that is equal only for equal locations.
func (b *pprofLocations) ofStack(stack []*Frame) ([]*profile.Location, string) {
	var locations []*profile.Location
	var key []byte
	for len(stack) > 0 {
		n := inlineGroup(stack)
		l := b.location(stack[:n])
		locations = append(locations, l)
		key = binary.AppendUvarint(key, l.ID)
		stack = stack[n:]
	}
	return locations, string(key)
}

// inlineGroup returns how many frames, from the leaf on, share one physical frame: inlined functions and the function
// that contains them. The latter may be missing at the end of a stack or before a marker for omitted frames.
func inlineGroup(stack []*Frame) int {
	n := 1
	for n < len(stack) && stack[n-1].Inlined && stack[n].Kind != Marker {
		n++
	}
	return n
}

// location returns the location of a group, whose last frame is the function that contains the others.
func (b *pprofLocations) location(group []*Frame) *profile.Location {
	code := group[len(group)-1]
	l := &profile.Location{Mapping: b.mapping(code), Address: code.Address}
	for _, f := range group {
		l.Line = append(l.Line, profile.Line{Function: b.function(f), Line: int64(f.Line), Column: int64(f.Column)})
		describe(l.Mapping, f, len(group) > 1)
	}
	key := b.locationKey(l)
	if known := b.locations[string(key)]; known != nil {
		return known
	}
	l.ID = uint64(len(b.p.Location) + 1)
	b.p.Location = append(b.p.Location, l)
	b.locations[string(key)] = l
	return l
}

func (b *pprofLocations) locationKey(l *profile.Location) []byte {
	b.key = binary.AppendUvarint(b.key[:0], l.Address)
	if l.Mapping != nil {
		b.key = binary.AppendUvarint(b.key, l.Mapping.ID)
	} else {
		b.key = binary.AppendUvarint(b.key, 0)
	}
	for _, line := range l.Line {
		b.key = binary.AppendUvarint(b.key, line.Function.ID)
		b.key = binary.AppendVarint(b.key, line.Line)
		b.key = binary.AppendVarint(b.key, line.Column)
	}
	return b.key
}

// describe sets the flags of a mapping for what is known of its frames. pprof symbolizes a mapping again, from the file
// if there is one, only if no flag is set.
func describe(m *profile.Mapping, f *Frame, inline bool) {
	if m == nil {
		return
	}
	m.HasFunctions = m.HasFunctions || !strings.HasPrefix(f.Function, "[")
	m.HasFilenames = m.HasFilenames || f.File != ""
	m.HasLineNumbers = m.HasLineNumbers || f.Line != 0
	m.HasInlineFrames = m.HasInlineFrames || inline
}

// mapping returns the mapping of a frame, nil for a marker. It starts and ends at 0: the addresses are those of the ELF
// file already.
func (b *pprofLocations) mapping(f *Frame) *profile.Mapping {
	if f.Kind == Marker {
		return nil
	}
	key := mappingKey{valid(f.Module), valid(f.BuildID)}
	if key.module == "" {
		key.module = moduleOf(f.Kind)
	}
	m := b.mappings[key]
	if m == nil {
		m = &profile.Mapping{ID: uint64(len(b.p.Mapping) + 1), File: key.module, BuildID: key.buildID}
		b.p.Mapping = append(b.p.Mapping, m)
		b.mappings[key] = m
	}
	return m
}

// moduleOf returns the mapping name for code that is in no file.
func moduleOf(k Kind) string {
	switch k {
	case Kernel:
		return "[kernel]"
	case Native:
		return "[unknown]"
	}
	return v8Mapping
}

func (b *pprofLocations) function(f *Frame) *profile.Function {
	key := functionKey{valid(f.Function), valid(f.File), f.Kind}
	fn := b.functions[key]
	if fn == nil {
		fn = &profile.Function{
			ID:         uint64(len(b.p.Function) + 1),
			Name:       key.name,
			SystemName: key.kind.String() + ":" + key.name,
			Filename:   key.file,
		}
		b.p.Function = append(b.p.Function, fn)
		b.functions[key] = fn
	}
	return fn
}
