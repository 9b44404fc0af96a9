// Package recording reads recordings, in the formats that hold all of one, and chooses samples of them. It knows all
// formats of files of samples by their names.
package recording

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/version"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
	"github.com/hotspan/hotspan/pprofx/viewers"
)

// OTLP is a file with all that is known of each sample. Beside it, the formats of the packages page and viewers
// are not of package pprofx.
const OTLP pprofx.Format = "otlp"

// otherFormats lists the formats that are not of package pprofx.
var otherFormats = append([]pprofx.Format{OTLP, page.HTML}, viewers.Formats...)

// FormatOf returns the format that belongs to the extension of a file name.
func FormatOf(path string) (pprofx.Format, error) {
	for _, f := range otherFormats {
		if strings.HasSuffix(path, Extension(f)) {
			return f, nil
		}
	}
	f, err := pprofx.FormatOf(path)
	if err != nil {
		err = alsoKnown(err, Extension)
	}
	return f, err
}

// ParseFormat returns the format with this name.
func ParseFormat(name string) (pprofx.Format, error) {
	if f := pprofx.Format(name); slices.Contains(otherFormats, f) {
		return f, nil
	}
	f, err := pprofx.ParseFormat(name)
	if err != nil {
		err = alsoKnown(err, func(f pprofx.Format) string { return string(f) })
	}
	return f, err
}

// alsoKnown adds the formats that are not of package pprofx to an error of it, which ends in "(known: …)".
func alsoKnown(err error, text func(pprofx.Format) string) error {
	all := strings.TrimSuffix(err.Error(), ")")
	for _, f := range otherFormats {
		all += " " + text(f)
	}
	return errors.New(all + ")")
}

// NewWriter returns what writes snapshots in a format. The caller closes it.
func NewWriter(to io.Writer, f pprofx.Format) (pprofx.Writer, error) {
	switch f {
	case OTLP:
		return otlp.NewWriter(to, ThisBuild()), nil
	case page.HTML:
		return page.NewWriter(to), nil
	}
	if w := viewers.NewWriter(to, f); w != nil {
		return w, nil
	}
	return pprofx.NewWriter(to, f)
}

// Streams reports whether a format has each snapshot as soon as it is cut.
func Streams(f pprofx.Format) bool {
	return f == OTLP || f == pprofx.JSONL || f == pprofx.PerfScript
}

// ThisBuild says in OTLP which build of hotspan took a profile.
func ThisBuild() otlp.Agent {
	build := version.Get()
	return otlp.Agent{Version: build.Module, Build: build.Details()}
}

// Extension returns how names of files of a format end.
func Extension(f pprofx.Format) string {
	if e := viewers.Extension(f); e != "" {
		return e
	}
	switch f {
	case OTLP:
		return ".otlp"
	case page.HTML:
		return page.Extension
	case pprofx.Collapsed:
		return ".collapsed"
	case pprofx.PerfScript:
		return ".perf"
	case pprofx.JSONL:
		return ".jsonl"
	}
	return ".pb.gz"
}
