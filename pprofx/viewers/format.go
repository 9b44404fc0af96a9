// Package viewers writes snapshots as files of profile viewers that show time: speedscope, those of .cpuprofile, and
// the Firefox Profiler. Such files begin with tables of all that is in them, so a Writer of this package keeps until
// Close what is distinct, and 12 to 16 bytes for each sample, up to pprofx.MaxRows of them.
package viewers

import (
	"io"

	"github.com/hotspan/hotspan/pprofx"
)

// The formats.
const (
	Speedscope pprofx.Format = "speedscope"
	CPUProfile pprofx.Format = "cpuprofile"
	Firefox    pprofx.Format = "firefox"
)

// Formats lists the formats.
var Formats = []pprofx.Format{Speedscope, CPUProfile, Firefox}

// Extension returns the extension of the files of a format, such as ".speedscope.json"; empty for one of another
// package.
func Extension(f pprofx.Format) string {
	switch f {
	case Speedscope:
		return ".speedscope.json"
	case CPUProfile:
		return ".cpuprofile"
	case Firefox:
		return ".firefox.json.gz"
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
	case Firefox:
		return newFirefoxWriter(to, fullLimits)
	}
	return nil
}
