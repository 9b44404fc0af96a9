package page

import "errors"

// SourceReader returns the text of a file, by the name that frames have of it, as it was at a Unix time in nanoseconds.
// The text of an error says why there is none: all files with the same text are counted together.
type SourceReader func(file string, at int64) (string, error)

// ErrNoFile says that a name is of no file, as node:fs. Such names are not counted.
var ErrNoFile = errors.New("not a file")

// Embedded counts files with samples: whose lines are on a page, and others by the reason why not.
type Embedded struct {
	Files   int
	Refused map[string]int
}
