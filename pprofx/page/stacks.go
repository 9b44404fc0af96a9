package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// function is one by package report's definition: its name, and the file, or else the file that holds its code.
type function struct{ name, file int32 } // numbers of texts

// frame is what the page shows of one. Frames that differ in nothing else are one.
type frame struct {
	function     int32
	line, column int
	code         uint8 // see codeOf
}

// codeOf has the kind in the lower three bits, then the tier in three, then whether it is inlined.
func codeOf(f *pprofx.Frame) uint8 {
	code := uint8(f.Kind)&7 | uint8(f.Tier)&7<<3
	if f.Inlined {
		code |= 1 << 6
	}
	return code
}

// node is a frame that is called by another node.
type node struct{ parent, frame int32 }

// absent stands for no frame.
const absent = -1

// The stacks that are always there: [other], and that of samples without a frame.
const (
	otherStack = iota
	noStack
	fixedStacks
)

// stacks interns functions, frames, and stacks as paths in a tree whose root, node 0, is no frame. The number of a node
// is greater than that of its parent.
type stacks struct {
	texts *texts
	max   limits

	functions  []function
	byFunction map[function]int32
	frames     []frame
	byFrame    map[frame]int32
	nodes      []node
	byNode     map[node]int32
	list       []int32 // nodes of the leaves
	byKey      map[[sha256.Size]byte]int32
	key        []byte  // scratch
	path       []int32 // scratch
}

func newStacks(t *texts, max limits) *stacks {
	s := &stacks{
		texts: t, max: max, nodes: []node{{}},
		byFunction: map[function]int32{}, byFrame: map[frame]int32{}, byNode: map[node]int32{},
		byKey: map[[sha256.Size]byte]int32{},
	}
	for i, name := range [fixedStacks]string{otherStack: pprofx.OtherFunction, noStack: "[no stack]"} {
		frame := s.addFrame(s.frameOf(&pprofx.Frame{Function: name, Kind: pprofx.Marker}))
		s.list = append(s.list, s.addNode(node{0, frame}))
		s.byKey[s.keyOf([]int32{frame})] = int32(i)
	}
	return s
}

// numbers returns the numbers of the stacks of a snapshot.
func (s *stacks) numbers(of *pprofx.Snapshot) []int32 {
	frames := make([]int32, len(of.Frames))
	for i, f := range of.Frames {
		frames[i] = s.frame(f)
	}
	list := make([]int32, len(of.Stacks))
	for i, stack := range of.Stacks {
		list[i] = s.stack(stack, frames)
	}
	return list
}

func (s *stacks) frameOf(f *pprofx.Frame) frame {
	fn := function{s.texts.number(f.Function), s.texts.number(cmp.Or(f.File, f.Module))}
	n, ok := s.byFunction[fn]
	if !ok {
		n = int32(len(s.functions))
		s.functions = append(s.functions, fn)
		s.byFunction[fn] = n
	}
	return frame{n, max(f.Line, 0), max(f.Column, 0), codeOf(f)}
}

// frame returns the number of a frame, absent if it is over the limit.
func (s *stacks) frame(f *pprofx.Frame) int32 {
	of := s.frameOf(f)
	n, ok := s.byFrame[of]
	switch {
	case ok:
		return n
	case len(s.frames) >= fixedStacks+s.max.frames:
		return absent
	}
	return s.addFrame(of)
}

func (s *stacks) addFrame(f frame) int32 {
	n := int32(len(s.frames))
	s.frames = append(s.frames, f)
	s.byFrame[f] = n
	return n
}

func (s *stacks) addNode(n node) int32 {
	number := int32(len(s.nodes))
	s.nodes = append(s.nodes, n)
	s.byNode[n] = number
	return number
}

// keyOf is the hash of a stack: to find one again takes a small part of the time that its path in the tree would take.
func (s *stacks) keyOf(frames []int32) [sha256.Size]byte {
	s.key = s.key[:0]
	for _, f := range frames {
		s.key = binary.LittleEndian.AppendUint32(s.key, uint32(f))
	}
	return sha256.Sum256(s.key)
}

// stack returns the number of a stack, given as indices into numbers of frames, leaf first. Over a limit it is
// otherStack.
func (s *stacks) stack(stack, numbers []int32) int32 {
	s.path = s.path[:0]
	for _, f := range stack {
		if numbers[f] == absent {
			return otherStack
		}
		s.path = append(s.path, numbers[f])
	}
	if len(stack) == 0 {
		return noStack
	}
	key := s.keyOf(s.path)
	if number, ok := s.byKey[key]; ok {
		return number
	}
	if len(s.list) >= fixedStacks+s.max.stacks || len(s.nodes)+len(stack) > 1+fixedStacks+s.max.nodes {
		return otherStack
	}
	number := int32(len(s.list))
	s.list = append(s.list, s.leaf(s.path))
	s.byKey[key] = number
	return number
}

// leaf returns the node of the leaf of a stack, given as numbers of frames, leaf first.
func (s *stacks) leaf(path []int32) int32 {
	at := int32(0)
	for _, frame := range slices.Backward(path) {
		n := node{at, frame}
		var ok bool
		if at, ok = s.byNode[n]; !ok {
			at = s.addNode(n)
		}
	}
	return at
}
