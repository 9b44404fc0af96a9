package viewers

import (
	"encoding/binary"

	"github.com/hotspan/hotspan/pprofx"
)

// place is what viewers show of a frame. Frames that differ in nothing else are one place.
type place struct {
	name         string
	file         string // source file, URL, or the file that holds native code; empty if unknown
	line, column int    // of the point of execution, from 1; 0 = unknown
	code         code   // only in formats that show it
}

// code is what a place runs.
type code struct {
	kind    pprofx.Kind
	tier    pprofx.Tier
	module  string
	buildID string // of module
}

func placeOf(f *pprofx.Frame, withCode bool) place {
	p := place{name: f.Function, file: f.File, line: f.Line, column: f.Column}
	if p.file == "" {
		p.file = f.Module
	}
	if withCode {
		p.code = code{f.Kind, f.Tier, f.Module, f.BuildID}
	}
	return p
}

// absent stands for no place, and no stack.
const absent = -1

// The places that are always there, and do not count towards the limit.
const (
	otherPlace = iota
	noStackPlace
	collectorPlace // on top of the stacks of samples of V8's garbage collector
	compilerPlace  // and of its compilers
	fixedPlaces
)

// The stacks that are always there, and do not count towards the limit.
const (
	otherStack     = iota
	otherCollected // the same with collectorPlace on top
	otherCompiled
	fixedStacks
)

// collector is the function that V8 has in a .cpuprofile while it collects garbage (src/profiler/profile-generator.cc).
const collector = "(garbage collector)"

// stacks interns places, and stacks of them: equal ones have the same number.
type stacks struct {
	maxPlaces, maxStacks int

	places  []place
	byPlace map[place]int32
	keys    []string // places of a stack, leaf first, 4 bytes each
	byKey   map[string]int32
	key     []byte // scratch
}

func newStacks(maxPlaces, maxStacks int, withCode bool) *stacks {
	s := &stacks{maxPlaces: maxPlaces, maxStacks: maxStacks, byPlace: map[place]int32{}, byKey: map[string]int32{}}
	for _, name := range []string{otherPlace: pprofx.OtherFunction, noStackPlace: "[no stack]",
		collectorPlace: collector, compilerPlace: "(compiler)"} {
		s.addPlace(placeOf(&pprofx.Frame{Function: name, Kind: pprofx.Marker}, withCode))
	}
	for _, fixed := range [fixedStacks][]int32{
		{otherPlace}, {collectorPlace, otherPlace}, {compilerPlace, otherPlace},
	} {
		s.key = s.key[:0]
		for _, p := range fixed {
			s.key = appendPlace(s.key, p)
		}
		s.addStack()
	}
	return s
}

func (s *stacks) addPlace(p place) int32 {
	id := int32(len(s.places))
	s.places = append(s.places, p)
	s.byPlace[p] = id
	return id
}

func (s *stacks) addStack() int32 {
	id := int32(len(s.keys))
	s.keys = append(s.keys, string(s.key))
	s.byKey[s.keys[id]] = id
	return id
}

// place returns the number of a place, absent if it is over the limit.
func (s *stacks) place(p place) int32 {
	id, ok := s.byPlace[p]
	switch {
	case ok:
		return id
	case len(s.places) >= fixedPlaces+s.maxPlaces:
		return absent
	}
	return s.addPlace(p)
}

// stack returns the number of a stack, given as indices into places, leaf first. top is a place on top of it, or
// absent. Beyond a limit it is one of the fixed ones.
func (s *stacks) stack(frames, places []int32, top int32) int32 {
	s.key = s.key[:0]
	other := int32(otherStack)
	if top != absent {
		other = otherCollected + top - collectorPlace
		s.key = appendPlace(s.key, top)
	}
	for _, f := range frames {
		if places[f] == absent {
			return other
		}
		s.key = appendPlace(s.key, places[f])
	}
	if len(frames) == 0 {
		s.key = appendPlace(s.key, noStackPlace)
	}
	if id, ok := s.byKey[string(s.key)]; ok {
		return id
	}
	if len(s.keys) >= fixedStacks+s.maxStacks {
		return other
	}
	return s.addStack()
}

func appendPlace(key []byte, id int32) []byte {
	return binary.LittleEndian.AppendUint32(key, uint32(id))
}

// top returns the place on top of a stack.
func (s *stacks) top(stack int32) int32 { return placeAt(s.keys[stack], 0) }

func placeAt(key string, at int) int32 {
	return int32(binary.LittleEndian.Uint32([]byte(key[at : at+4])))
}

// rootFirst lists the places of a stack. It reuses the memory of to.
func (s *stacks) rootFirst(to []int32, stack int32) []int32 {
	to = to[:0]
	key := s.keys[stack]
	for at := len(key) - 4; at >= 0; at -= 4 {
		to = append(to, placeAt(key, at))
	}
	return to
}
