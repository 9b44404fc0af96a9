package pprof

import (
	"slices"
	"strings"
)

// absent is the index of what has none, or none yet.
const absent = -1

func allAbsent(n int) []int32 { return slices.Repeat([]int32{absent}, n) }

// valid returns s as valid UTF-8, which protobuf demands: strict readers refuse a whole profile for one bad byte, and
// the kernel cuts thread names at 15 bytes, even in the middle of a character.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// table holds encoded messages, or strings. Equal ones have the same index.
type table struct {
	texts []string
	ids   map[string]int32
}

func newTable() table { return table{ids: make(map[string]int32)} }

// find returns the index of text, false if it is not there.
func (t *table) find(text []byte) (int32, bool) {
	id, ok := t.ids[string(text)]
	return id, ok
}

// add adds a text that is not there.
func (t *table) add(text string) int32 {
	id := int32(len(t.texts))
	t.texts = append(t.texts, text)
	t.ids[text] = id
	return id
}

// intern returns the index of text, and adds it if it is not there.
func (t *table) intern(text []byte) int32 {
	if id, ok := t.find(text); ok {
		return id
	}
	return t.add(string(text))
}

// str returns the index of s as valid UTF-8, and adds it if it is not there.
func (t *table) str(s string) int64 {
	id, ok := t.known(s)
	if !ok {
		id = int64(t.add(valid(s)))
	}
	return id
}

// known returns the index of s as valid UTF-8, false if it is not there.
func (t *table) known(s string) (int64, bool) {
	id, ok := t.ids[s]
	if !ok {
		id, ok = t.ids[valid(s)]
	}
	return int64(id), ok
}
