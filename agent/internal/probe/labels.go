package probe

import (
	"slices"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// Labels adds a label with what took it to those of each sample. It is not safe for concurrent use.
type Labels struct {
	key    string
	values []string
	known  map[labelled][]pprofx.Label
}

// labelled is a set of labels by where it is: sets are shared, and never change.
type labelled struct {
	first *pprofx.Label
	n     int
	value int
}

// maxLabelled bounds the sets that are kept.
const maxLabelled = 1 << 12

// NewLabels makes Labels with a key. The values are in the order of the numbers that the BPF program has for what took
// a sample: first the timer, then the probes. With an empty one there is no label.
func NewLabels(key string, values []string) *Labels {
	return &Labels{key, values, map[labelled][]pprofx.Label{}}
}

// With returns labels, sorted by key, and the one of a number, which it shares between samples.
func (l *Labels) With(labels []pprofx.Label, number int) []pprofx.Label {
	if number < 0 || number >= len(l.values) || l.values[number] == "" {
		return labels
	}
	key := labelled{n: len(labels), value: number}
	if key.n > 0 {
		key.first = &labels[0]
	}
	if out, ok := l.known[key]; ok {
		return out
	}
	if len(l.known) >= maxLabelled {
		clear(l.known)
	}
	own := pprofx.Label{Key: l.key, Str: l.values[number]}
	byKey := func(a, b pprofx.Label) int { return strings.Compare(a.Key, b.Key) }
	at, there := slices.BinarySearchFunc(labels, own, byKey)
	out := slices.Clone(labels)
	if there { // of a rule of the user's
		out[at] = own
	} else {
		out = slices.Insert(out, at, own)
	}
	l.known[key] = out
	return out
}
