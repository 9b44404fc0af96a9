package report

import "slices"

// inOrder returns copies of all in order; nil if there are none. It sorts pointers, for which the binary has the code
// once: for values it would have it once for each type.
func inOrder[T any](all []*T, compare func(a, b *T) int) (out []T) {
	slices.SortStableFunc(all, compare)
	for _, one := range all {
		out = append(out, *one)
	}
	return out
}
