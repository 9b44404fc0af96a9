package verify

import "strings"

// Parts are what is read by a layout, as a set.
type Parts uint8

// The parts, each of which can be switched off alone.
const (
	Names  Parts = 1 << iota // of JavaScript functions, and their scripts
	Lines                    // of JavaScript frames
	Labels                   // what belongs to the request
)

// String lists the parts: "names, labels".
func (p Parts) String() string {
	var out []string
	for i, name := range []string{"names", "lines", "labels"} {
		if p>>i&1 != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}
