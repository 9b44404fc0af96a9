// Package viewers writes snapshots as files of profile viewers that show time: speedscope, and those of .cpuprofile.
// Such files end with what they begin with, so a Writer of this package keeps until Close what is distinct, and 12
// bytes for each sample, up to pprofx.MaxRows of them. Unlike pprofx's own formats these say when a sample was taken,
// and nothing of labels.
package viewers

import (
	"io"

	"github.com/hotspan/hotspan/pprofx"
)

// The formats.
const (
	Speedscope pprofx.Format = "speedscope"
	CPUProfile pprofx.Format = "cpuprofile"
)

// Formats lists the formats.
var Formats = []pprofx.Format{Speedscope, CPUProfile}

// Extension returns the extension of the files of a format, such as ".speedscope.json"; empty for one of another
// package.
func Extension(f pprofx.Format) string {
	switch f {
	case Speedscope:
		return ".speedscope.json"
	case CPUProfile:
		return ".cpuprofile"
	}
	return ""
}

// NewWriter returns a Writer for one of Formats, and nil for another one.
func NewWriter(to io.Writer, f pprofx.Format) pprofx.Writer {
	switch f {
	case Speedscope:
		return newSpeedscopeWriter(to, fullLimits)
	case CPUProfile:
		return newCPUProfileWriter(to, fullLimits)
	}
	return nil
}
