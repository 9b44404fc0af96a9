package judge

import (
	"fmt"
	"maps"
	"slices"
)

// Share is a part of a whole.
type Share struct{ Part, Whole int }

// Count adds one to the whole, and to the part if yes.
func (s *Share) Count(yes bool) {
	s.Whole++
	if yes {
		s.Part++
	}
}

// Add adds another share.
func (s *Share) Add(o Share) {
	s.Part += o.Part
	s.Whole += o.Whole
}

// Percent returns the part in percent of the whole, and 0 if nothing was counted.
func (s Share) Percent() float64 { return 100 * float64(s.Part) / float64(max(s.Whole, 1)) }

// String returns the percentage and both counts.
func (s Share) String() string {
	return fmt.Sprintf("%.2f %% (%d of %d)", s.Percent(), s.Part, s.Whole)
}

// maxExamples bounds the examples of each kind of finding.
const maxExamples = 5

// examples are descriptions of findings by kind, at most maxExamples of each.
type examples map[string][]string

func (e *examples) add(kind, format string, args ...any) {
	if *e == nil {
		*e = examples{}
	}
	if len((*e)[kind]) < maxExamples {
		(*e)[kind] = append((*e)[kind], kind+": "+fmt.Sprintf(format, args...))
	}
}

// List returns all examples, sorted by kind.
func (e examples) List() []string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(e)) {
		out = append(out, e[kind]...)
	}
	return out
}
