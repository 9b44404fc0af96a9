package pprof

import (
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotspan/hotspan/pprofx"
)

// v8Mapping is the file name of the mapping that stands for all JIT-compiled code.
const v8Mapping = "[v8]"

// locations interns the mappings, functions and locations of a profile. The id of each is its index plus 1.
type locations struct {
	max       int // of each kind
	strings   *table
	mappings  []*mapping
	functions []string // encoded, without their ids
	locations table    // encoded, without their ids
	byMapping map[mappingKey]int32
	byFrame   map[functionKey]int32
	key, line []byte // scratch
}

type mapping struct {
	mappingKey
	functions, filenames, lineNumbers, inlineFrames bool
}

type mappingKey struct{ module, buildID string }

type functionKey struct {
	name, file string
	kind       pprofx.Kind
}

func newLocations(strings *table, limit int) *locations {
	return &locations{
		max:       limit,
		strings:   strings,
		locations: newTable(),
		byMapping: make(map[mappingKey]int32),
		byFrame:   make(map[functionKey]int32),
	}
}

// inlineGroup returns how many frames, from the leaf on, share one physical frame: inlined functions and the function
// that contains them. The latter may be missing at the end of a stack or before a marker for omitted frames.
func inlineGroup(frames []*pprofx.Frame, stack []int32) int {
	n := 1
	for n < len(stack) && frames[stack[n-1]].Inlined && frames[stack[n]].Kind != pprofx.Marker {
		n++
	}
	return n
}

// location returns the index of the location of a group, whose last frame is the function that contains the others. It
// is false if something new is over the limit.
func (b *locations) location(group []*pprofx.Frame, functions []int32) (int32, bool) {
	code := group[len(group)-1]
	mapping, ok := b.mapping(code)
	if !ok {
		return 0, false
	}
	b.key = appendNumber(b.key[:0], locationMapping, int64(mapping)+1)
	b.key = appendNumber(b.key, locationAddress, int64(code.Address))
	for i, f := range group {
		b.line = appendNumber(b.line[:0], lineFunction, int64(functions[i])+1)
		b.line = appendNumber(b.line, lineNumber, int64(f.Line))
		b.line = appendNumber(b.line, lineColumn, int64(f.Column))
		b.key = appendMessage(b.key, locationLine, b.line)
	}
	id, ok := b.locations.find(b.key)
	if !ok {
		if len(b.locations.texts) >= b.max {
			return 0, false
		}
		id = b.locations.add(string(b.key))
	}
	if mapping >= 0 {
		b.mappings[mapping].describe(group)
	}
	return id, true
}

// describe sets the flags of a mapping for what is known of its frames. pprof symbolizes a mapping again, from the file
// if there is one, only if no flag is set.
func (m *mapping) describe(group []*pprofx.Frame) {
	for _, f := range group {
		m.functions = m.functions || !strings.HasPrefix(f.Function, "[")
		m.filenames = m.filenames || f.File != ""
		m.lineNumbers = m.lineNumbers || f.Line != 0
	}
	m.inlineFrames = m.inlineFrames || len(group) > 1
}

// mapping returns the index of the mapping of a frame, -1 for a marker. It starts and ends at 0: the addresses are
// those of the ELF file already.
func (b *locations) mapping(f *pprofx.Frame) (int32, bool) {
	if f.Kind == pprofx.Marker {
		return -1, true
	}
	key := mappingKey{valid(f.Module), valid(f.BuildID)}
	if key.module == "" {
		key.module = moduleOf(f.Kind)
	}
	id, ok := b.byMapping[key]
	if !ok {
		if len(b.mappings) >= b.max {
			return 0, false
		}
		id = int32(len(b.mappings))
		b.mappings = append(b.mappings, &mapping{mappingKey: key})
		b.byMapping[key] = id
	}
	return id, true
}

// moduleOf returns the mapping name for code that is in no file.
func moduleOf(k pprofx.Kind) string {
	switch k {
	case pprofx.Kernel:
		return "[kernel]"
	case pprofx.Native:
		return "[unknown]"
	}
	return v8Mapping
}

// function returns the index of the function of a frame, false if it is new and over the limit.
func (b *locations) function(f *pprofx.Frame) (int32, bool) {
	key := functionKey{valid(f.Function), valid(f.File), f.Kind}
	id, ok := b.byFrame[key]
	if !ok {
		if len(b.byFrame) >= b.max || len(b.locations.texts) >= b.max {
			return 0, false
		}
		id = int32(len(b.byFrame))
		b.byFrame[key] = id
		b.key = appendNumber(b.key[:0], functionName, b.strings.str(key.name))
		b.key = appendNumber(b.key, functionSystemName, b.strings.str(key.kind.String()+":"+key.name))
		b.key = appendNumber(b.key, functionFile, b.strings.str(key.file))
		b.functions = append(b.functions, string(b.key))
	}
	return id, true
}

var otherFrame = &pprofx.Frame{Function: pprofx.OtherFunction, Kind: pprofx.Marker}

// other returns the index of the location of the frame [other], which does not count towards the limit.
func (b *locations) other() int32 {
	limit := b.max
	b.max = math.MaxInt
	defer func() { b.max = limit }()
	function, _ := b.function(otherFrame)
	id, _ := b.location([]*pprofx.Frame{otherFrame}, []int32{function})
	return id
}

// appendLocationID appends the id of a location, as a sample has it.
func appendLocationID(b []byte, location int32) []byte {
	return protowire.AppendVarint(b, uint64(location)+1)
}
