package otlp

import (
	"fmt"

	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"

	"github.com/hotspan/hotspan/pprofx"
)

// maxStackFrames bounds the frames of all stacks of a message together: a few bytes can name one location many times.
const maxStackFrames = 1 << 24

// stack returns the index in the snapshot of a stack of the message.
func (d *decoder) stack(i int32) (int32, error) {
	if known, ok := d.stacks[i]; ok {
		return known, nil
	}
	from, err := at(d.tables.StackTable, i, "stack")
	if err != nil {
		return 0, err
	}
	var frames []int32
	for _, l := range from.LocationIndices {
		of, err := d.location(l)
		if err != nil {
			return 0, fmt.Errorf("stack %d: %w", i, err)
		}
		if d.frames += len(of); d.frames > maxStackFrames {
			return 0, fmt.Errorf("more than %d frames in all stacks", maxStackFrames)
		}
		frames = append(frames, of...)
	}
	index := add(&d.out.Stacks, frames)
	d.stacks[i] = index
	return index, nil
}

// location returns the frames of a location of the message: all but the last are inlined.
func (d *decoder) location(i int32) ([]int32, error) {
	if known, ok := d.locations[i]; ok {
		return known, nil
	}
	from, err := at(d.tables.LocationTable, i, "location")
	if err != nil {
		return nil, err
	}
	frames, err := d.framesOf(from)
	if err != nil {
		return nil, fmt.Errorf("location %d: %w", i, err)
	}
	d.locations[i] = frames
	return frames, nil
}

func (d *decoder) framesOf(l *profilespb.Location) ([]int32, error) {
	frame, err := d.code(l)
	if err != nil {
		return nil, err
	}
	var to []int32
	lines := l.Lines
	if len(lines) == 0 { // an address without a name
		lines = []*profilespb.Line{{}}
	}
	for i, line := range lines {
		f := frame
		f.Line, f.Column, f.Inlined = int(line.Line), int(line.Column), i+1 < len(lines)
		function, err := at(d.tables.FunctionTable, line.FunctionIndex, "function")
		if err != nil {
			return nil, err
		}
		if f.Function, err = d.str(function.NameStrindex); err != nil {
			return nil, err
		}
		if f.File, err = d.str(function.FilenameStrindex); err != nil {
			return nil, err
		}
		index, ok := d.byFrame[f]
		if !ok {
			index = add(&d.out.Frames, &f)
			d.byFrame[f] = index
		}
		to = append(to, index)
	}
	return to, nil
}

// code returns what all frames of a location have in common.
func (d *decoder) code(l *profilespb.Location) (f pprofx.Frame, err error) {
	f.Address = l.Address
	m, err := at(d.tables.MappingTable, l.MappingIndex, "mapping")
	if err != nil {
		return f, err
	}
	if f.Module, err = d.str(m.FilenameStrindex); err != nil {
		return f, err
	}
	var frameType, kind string
	for _, i := range append(m.AttributeIndices[:len(m.AttributeIndices):len(m.AttributeIndices)],
		l.AttributeIndices...) {
		a, err := d.attr(i)
		if err != nil {
			return f, err
		}
		switch a.key {
		case buildIDKey:
			f.BuildID = a.str
		case "profile.frame.type":
			frameType = a.str
		case "hotspan.frame.kind":
			kind = a.str
		case "hotspan.frame.tier":
			err = f.Tier.UnmarshalText([]byte(a.str))
		}
		if err != nil {
			return f, err
		}
	}
	f.Kind, err = kindOfFrame(frameType, kind)
	return f, err
}

// kindOfFrame is the reverse of frameTypes.
func kindOfFrame(frameType, kind string) (k pprofx.Kind, err error) {
	if kind == "" && frameType == frameTypes[pprofx.JS] {
		return pprofx.JS, nil
	}
	if kind == "" {
		kind = frameType
	}
	if err := k.UnmarshalText([]byte(kind)); err != nil {
		return 0, fmt.Errorf("profile.frame.type %q, hotspan.frame.kind %q: %w", frameType, kind, err)
	}
	return k, nil
}
