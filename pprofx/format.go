package pprofx

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format names a form in which a snapshot is written.
type Format string

// The forms. Pprof is the default.
const (
	Pprof      Format = "pprof"
	Collapsed  Format = "collapsed"
	PerfScript Format = "perf-script"
	JSONL      Format = "jsonl"
	Datadog    Format = "datadog" // pprof with Datadog's names of labels
)

// Formats lists the forms that have a name of their own, the default first.
var Formats = []Format{Pprof, Collapsed, PerfScript, JSONL}

var extensions = []struct {
	suffix string
	format Format
}{
	{".pb.gz", Pprof},
	{".collapsed", Collapsed},
	{".folded", Collapsed},
	{".txt", Collapsed},
	{".perf", PerfScript},
	{".jsonl", JSONL},
}

// FormatOf returns the form that the name of a file asks for by its extension. The error lists the extensions.
func FormatOf(path string) (Format, error) {
	var known []string
	for _, e := range extensions {
		if strings.HasSuffix(path, e.suffix) {
			return e.format, nil
		}
		known = append(known, e.suffix)
	}
	return "", fmt.Errorf("%s: the extension names no format (known: %s)", path, strings.Join(known, " "))
}

// ParseFormat returns the form of that name. The error lists the names.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(Formats, f) {
		return f, nil
	}
	return "", fmt.Errorf("format %q is unknown (known: %s)", name, joinFormats())
}

func joinFormats() string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = string(f)
	}
	return strings.Join(names, " ")
}

// Write writes a snapshot in the given form.
func Write(w io.Writer, f Format, s *Snapshot) error {
	switch f {
	case Pprof:
		return WritePprof(w, s)
	case Collapsed:
		return WriteCollapsed(w, s)
	case PerfScript:
		return WritePerfScript(w, s)
	case Datadog:
		return WriteDatadog(w, s)
	case JSONL:
		return WriteJSONL(w, s)
	}
	_, err := ParseFormat(string(f))
	return err
}
