package otlp

import (
	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"

	"github.com/hotspan/hotspan/pprofx"
)

// encoder encodes a snapshot as one message. It caches by index what is already in the tables, so that each frame,
// stack and label set costs its look-ups once.
type encoder struct {
	snapshot *pprofx.Snapshot
	dict     *dictionary
	places   []*place    // by frame of the snapshot
	alone    []int32     // location of a frame that is not inlined, by frame of the snapshot; 0 if not yet encoded
	stacks   []int32     // by stack of the snapshot; 0 if not yet encoded
	labels   []*labelSet // by label set of the snapshot
	lists    map[string]int32
	byKey    map[sampleKey]*profilespb.Sample

	key, locationKey []byte // scratch
	indices          []int32
	lines            []line
}

// sampleKey identifies a sample: stack, link and set of attributes, as profiles.proto has it. All are indices into the
// tables, except labels, which is a number from lists.
type sampleKey struct {
	stack, link, labels           int32
	thread, tid, cpu, state, stop int32
	turn, start, hits             int32
}

func newEncoder(s *pprofx.Snapshot) *encoder {
	return &encoder{
		snapshot: s,
		dict:     newDictionary(len(s.Frames), len(s.Stacks)),
		places:   make([]*place, len(s.Frames)),
		alone:    make([]int32, len(s.Frames)),
		stacks:   make([]int32, len(s.Stacks)),
		labels:   make([]*labelSet, len(s.LabelSets)),
		lists:    map[string]int32{},
		byKey:    map[sampleKey]*profilespb.Sample{},
	}
}

// labelSet is a label set of the snapshot as indices into the tables. Equal attribute lists have the same number.
type labelSet struct {
	link, list int32
	attrs      []int32
}

// place is a frame of the snapshot as indices into the tables: its machine code and its line.
type place struct {
	code code
	line line
}

// code is what all lines of a location have in common. frameType and kind are 0 if there is no such attribute.
type code struct {
	mapping         int32
	address         uint64
	frameType, kind int32
	tier            pprofx.Tier
}

type line struct {
	function    int32
	row, column int64
}

// location is a Location that has no index yet. Its lines are leaf first; all but the last are inlined.
type location struct {
	code  code
	lines []line
}

// optional returns the index of an attribute, 0 for an empty value.
func (e *encoder) optional(key, value string) int32 {
	if value == "" {
		return 0
	}
	return e.dict.attr(attr{key: key, str: value})
}
