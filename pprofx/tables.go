package pprofx

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// OtherFunction names the one frame that replaces a stack when a snapshot has MaxFrames frames or MaxStacks stacks.
// Such samples keep their time, thread and labels, and Snapshot.Other counts them.
const OtherFunction = "[other]"

var (
	otherFrame   = &Frame{Function: OtherFunction, Kind: Marker}
	unknownFrame = &Frame{Function: "[unknown]", Kind: Marker}
)

// pointersPerFrame bounds byPointer: a caller that never passes the same pointer twice gains nothing from it and must
// not make it grow.
const pointersPerFrame = 4

// Tables are what the rows of a Snapshot refer to by index: frames, stacks, label sets and names of threads. Equal ones
// get the same index, and a known one costs no allocation. They are for who makes a Snapshot in another way than by a
// Builder, as from a file. Use NewTables to make them.
type Tables struct {
	maxFrames, maxStacks int
	limit                LabelLimit

	frames  []*Frame
	stacks  [][]int32 // indices into frames, leaf first
	labels  [][]Label // element 0 is the empty set
	threads []string  // names; element 0 is empty

	byPointer map[*Frame]int32
	byValue   map[Frame]int32
	byStack   map[uint64]int32 // key: a hash of the indices; the next that is free if another stack has it
	seed      maphash.Seed     // of the hashes
	byLabels  map[uint64]int32 // the same of sets of labels
	byThread  map[string]int32
	key       []byte // scratch
	bytes     int    // about what frames, stacks, labels and their maps take

	stackAddresses map[address[*Frame]]int32
	labelAddresses map[address[Label]]int32
}

// address is where a slice is: its first element and its length. It is a short cut only: slices at one address that
// never change are equal. As the key of a map it keeps its slice alive, so that no other can come to lie there.
type address[T any] struct {
	first *T
	n     int
}

// NewTables returns empty tables with the limits MaxFrames, MaxStacks and MaxLabelSets.
func NewTables() *Tables { return newTables(MaxFrames, MaxStacks, MaxLabelSets) }

func newTables(maxFrames, maxStacks, maxLabelSets int) *Tables {
	return newTablesFor(maxFrames, maxStacks, maxLabelSets, &Tables{})
}

// newTablesFor makes empty tables that have room for as much as others have, as far as the limits allow.
func newTablesFor(maxFrames, maxStacks, maxLabelSets int, like *Tables) *Tables {
	frames, stacks := min(len(like.frames), maxFrames), min(len(like.stacks), maxStacks)
	sets := min(len(like.labels), maxLabelSets)
	return &Tables{
		maxFrames: maxFrames,
		maxStacks: maxStacks,
		limit:     LabelLimit{Max: maxLabelSets},
		frames:    make([]*Frame, 0, frames),
		stacks:    make([][]int32, 0, stacks),
		labels:    append(make([][]Label, 0, sets+1), nil),
		threads:   []string{""},
		byPointer: make(map[*Frame]int32, frames),
		byValue:   make(map[Frame]int32, frames),
		byStack:   make(map[uint64]int32, stacks),
		seed:      maphash.MakeSeed(),
		byLabels:  make(map[uint64]int32, sets),
		byThread:  map[string]int32{"": 0},

		stackAddresses: make(map[address[*Frame]]int32, min(len(like.stackAddresses), stacks)),
		labelAddresses: make(map[address[Label]]int32, min(len(like.labelAddresses), sets)),
	}
}

// next returns empty tables with the same limits. They have room for as much as these have: an interval mostly has as
// much as the one before it, and maps that grow copy all that they have again and again.
func (t *Tables) next() *Tables { return newTablesFor(t.maxFrames, t.maxStacks, t.limit.Max, t) }

// Fill makes these the tables of a snapshot. Nothing may be added any more.
func (t *Tables) Fill(s *Snapshot) {
	s.Frames, s.Stacks, s.LabelSets, s.Threads = t.frames, t.stacks, t.labels, t.threads
}

// Stack returns the index of a stack, leaf first, or that of the [other] stack if a limit is reached. A nil frame
// counts as [unknown].
func (t *Tables) Stack(s []*Frame) int32 {
	t.key = t.key[:0]
	for _, f := range s {
		id, ok := t.frame(f)
		if !ok {
			return t.other()
		}
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(id))
	}
	hash, id, ok := t.findStack()
	switch {
	case ok:
		return id
	case len(t.stacks) >= t.maxStacks:
		return t.other()
	}
	return t.addStack(hash)
}

// findStack returns the index of the stack that key holds; false if it is new, and the key that is free for it.
func (t *Tables) findStack() (hash uint64, id int32, ok bool) {
	for hash = maphash.Bytes(t.seed, t.key); ; hash++ {
		if id, ok = t.byStack[hash]; !ok || t.isStack(t.stacks[id]) {
			return hash, id, ok
		}
	}
}

// isStack reports whether key holds a stack.
func (t *Tables) isStack(stack []int32) bool {
	if len(t.key) != 4*len(stack) {
		return false
	}
	for i, f := range stack {
		if binary.LittleEndian.Uint32(t.key[4*i:]) != uint32(f) {
			return false
		}
	}
	return true
}

// frame returns the index of a frame; false if the frame is new and the limit is reached.
func (t *Tables) frame(f *Frame) (int32, bool) {
	if id, ok := t.byPointer[f]; ok {
		return id, true
	}
	if f == nil {
		f = unknownFrame
	}
	id, ok := t.byValue[*f]
	if !ok {
		if len(t.frames) >= t.maxFrames {
			return 0, false
		}
		id = t.addFrame(f)
	}
	if len(t.byPointer) < pointersPerFrame*t.maxFrames {
		t.byPointer[f] = id
	}
	return id, true
}

func (t *Tables) addFrame(f *Frame) int32 {
	id := int32(len(t.frames))
	t.frames = append(t.frames, f)
	t.byValue[*f] = id
	t.bytes += frameBytes + len(f.Function) + len(f.File)
	return id
}

// addStack adds the stack that key holds, with a hash of findStack.
func (t *Tables) addStack(hash uint64) int32 {
	id := int32(len(t.stacks))
	frames := make([]int32, 0, len(t.key)/4)
	for k := range slices.Chunk(t.key, 4) {
		frames = append(frames, int32(binary.LittleEndian.Uint32(k)))
	}
	t.stacks = append(t.stacks, frames)
	t.byStack[hash] = id
	t.bytes += entryBytes + 4*len(frames)
	return id
}

// other returns the index of the stack that stands for all beyond a limit. It does not count towards the limits itself.
func (t *Tables) other() int32 {
	frame, ok := t.byValue[*otherFrame]
	if !ok {
		frame = t.addFrame(otherFrame)
	}
	t.key = binary.LittleEndian.AppendUint32(t.key[:0], uint32(frame))
	hash, id, ok := t.findStack()
	if !ok {
		id = t.addStack(hash)
	}
	return id
}

// LabelSet returns the index of a set of labels, or of what the limit leaves of it.
func (t *Tables) LabelSet(labels []Label) int32 {
	for len(labels) > 0 {
		hash, id, ok := t.findLabels(labels)
		if ok {
			return id
		}
		if t.limit.Admit(labels) {
			id = int32(len(t.labels))
			t.labels = append(t.labels, labels)
			t.byLabels[hash] = id
			t.bytes += labelBytes(labels)
			return id
		}
		labels = ReduceLabels(labels)
	}
	return 0
}

// findLabels returns the index of a set of labels; false if it is new, and the key that is free for it.
func (t *Tables) findLabels(labels []Label) (hash uint64, id int32, ok bool) {
	t.key = t.key[:0]
	for i := range labels {
		t.key = appendLabel(t.key, &labels[i])
	}
	for hash = maphash.Bytes(t.seed, t.key); ; hash++ {
		if id, ok = t.byLabels[hash]; !ok || slices.EqualFunc(t.labels[id], labels, sameLabel) {
			return hash, id, ok
		}
	}
}

// sameLabel reports whether labels are equal: Num and Unit count only where Str is empty.
func sameLabel(a, b Label) bool {
	return a.Key == b.Key && a.Str == b.Str && (a.Str != "" || a.Num == b.Num && a.Unit == b.Unit)
}

// Thread returns the index of a thread's name. There are at most as many as rows.
func (t *Tables) Thread(name string) int32 {
	id, ok := t.byThread[name]
	if !ok {
		id = int32(len(t.threads))
		t.threads = append(t.threads, name)
		t.byThread[name] = id
	}
	return id
}

// appendLabel appends an encoding of l that differs wherever labels differ: see sameLabel.
func appendLabel(key []byte, l *Label) []byte {
	key = appendString(key, l.Key)
	key = appendString(key, l.Str)
	if l.Str != "" {
		return key
	}
	key = binary.AppendVarint(key, l.Num)
	return appendString(key, l.Unit)
}

func appendString(key []byte, s string) []byte {
	key = binary.AppendUvarint(key, uint64(len(s)))
	return append(key, s...)
}
