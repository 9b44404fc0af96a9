package probe

import (
	"slices"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// Labels adds a label with its probe to those of each sample. It is not safe for concurrent use.
type Labels struct {
	specs []Spec
	known map[labelled][]pprofx.Label
}

// labelled is a set of labels by where it is: sets are shared, and never change.
type labelled struct {
	first *pprofx.Label
	n     int
	probe int
}

// maxLabelled bounds the sets that are kept.
const maxLabelled = 1 << 12

// NewLabels makes Labels for probes, in the order of their numbers.
func NewLabels(specs []Spec) *Labels { return &Labels{specs, map[labelled][]pprofx.Label{}} }

// With returns labels, sorted by key, and one with the text of a probe, which it shares between samples. Probes count
// from 0; without such a probe it returns the labels.
func (l *Labels) With(labels []pprofx.Label, probe int) []pprofx.Label {
	if probe < 0 || probe >= len(l.specs) {
		return labels
	}
	key := labelled{n: len(labels), probe: probe}
	if key.n > 0 {
		key.first = &labels[0]
	}
	if out, ok := l.known[key]; ok {
		return out
	}
	if len(l.known) >= maxLabelled {
		clear(l.known)
	}
	own := pprofx.Label{Key: pprofx.ProbeLabel, Str: l.specs[probe].Text}
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
