// Package recording reads recordings, in the formats that hold all of one, and chooses samples of them. It knows all
// formats of files of samples by their names.
package recording

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/version"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/jsonl"
	"github.com/hotspan/hotspan/pprofx/page"
	"github.com/hotspan/hotspan/pprofx/pprof"
	"github.com/hotspan/hotspan/pprofx/text"
	"github.com/hotspan/hotspan/pprofx/viewers"
)

// The formats, besides those of the packages page and viewers. Pprof is the default.
const (
	Pprof      pprofx.Format = "pprof"
	Collapsed  pprofx.Format = "collapsed"
	PerfScript pprofx.Format = "perf-script"
	JSONL      pprofx.Format = "jsonl"
	OTLP       pprofx.Format = "otlp"    // all that is known of each sample
	Datadog    pprofx.Format = "datadog" // pprof with the label names of Datadog; no name of a file asks for it
)

// formats lists the formats that one can ask for, the default first.
var formats = append([]pprofx.Format{Pprof, Collapsed, PerfScript, JSONL, OTLP, page.HTML}, viewers.Formats...)

// alsoCollapsed are names that other tools give to files of collapsed stacks.
var alsoCollapsed = []string{".folded", ".txt"}

// FormatOf returns the format that belongs to the extension of a file name. The error lists the known extensions.
func FormatOf(path string) (pprofx.Format, error) {
	var known []string
	for _, f := range formats {
		extensions := []string{Extension(f)}
		if f == Collapsed {
			extensions = append(extensions, alsoCollapsed...)
		}
		if slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(path, e) }) {
			return f, nil
		}
		known = append(known, extensions...)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a directory: name a file in it, such as %s", path, filepath.Join(path, "cpu.otlp"))
	}
	return "", fmt.Errorf("%s: the extension names no format (known: %s)", path, strings.Join(known, " "))
}

// ParseFormat returns the format with this name. The error lists the known names.
func ParseFormat(name string) (pprofx.Format, error) {
	if f := pprofx.Format(name); slices.Contains(formats, f) {
		return f, nil
	}
	var known []string
	for _, f := range formats {
		known = append(known, string(f))
	}
	return "", fmt.Errorf("format %q is unknown (known: %s)", name, strings.Join(known, " "))
}

// NewWriter returns what writes snapshots in a format. The caller closes it. The error is that of an unknown format.
func NewWriter(to io.Writer, f pprofx.Format) (pprofx.Writer, error) {
	switch f {
	case Pprof:
		return pprof.NewWriter(to), nil
	case Datadog:
		return pprof.NewDatadogWriter(to), nil
	case Collapsed:
		return text.NewCollapsedWriter(to), nil
	case PerfScript:
		return text.NewPerfScriptWriter(to), nil
	case JSONL:
		return jsonl.NewWriter(to), nil
	case OTLP:
		return otlp.NewWriter(to, ThisBuild()), nil
	case page.HTML:
		return page.NewWriter(to), nil
	}
	if w := viewers.NewWriter(to, f); w != nil {
		return w, nil
	}
	_, err := ParseFormat(string(f))
	return nil, err
}

// Streams reports whether a format has each snapshot as soon as it is cut.
func Streams(f pprofx.Format) bool {
	return f == OTLP || f == JSONL || f == PerfScript
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
	case Collapsed:
		return ".collapsed"
	case PerfScript:
		return ".perf"
	case JSONL:
		return ".jsonl"
	}
	return ".pb.gz"
}
