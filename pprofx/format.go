package pprofx

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format is the name of a file format for snapshots.
type Format string

// The formats. Pprof is the default.
const (
	Pprof      Format = "pprof"
	Collapsed  Format = "collapsed"
	PerfScript Format = "perf-script"
	JSONL      Format = "jsonl"
	Datadog    Format = "datadog"   // pprof with the label names of Datadog
	Pyroscope  Format = "pyroscope" // pprof with the labels of requests only: each would be a series
)

// Formats lists the formats that ParseFormat accepts, the default first.
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

// FormatOf returns the format that belongs to the extension of a file name. The error lists the known extensions.
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

// ParseFormat returns the format with the given name. The error lists the known names.
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

// NewWriter returns a Writer for a format; the error is that of an unknown one.
func NewWriter(w io.Writer, f Format) (Writer, error) {
	switch f {
	case Pprof:
		return newPprofWriter(w, hotspanStyle), nil
	case Datadog:
		return newPprofWriter(w, datadogStyle), nil
	case Pyroscope:
		return newPprofWriter(w, pyroscopeStyle), nil
	case Collapsed:
		return newCollapsedWriter(w, MaxStacks), nil
	case PerfScript:
		return &streamWriter{to: w, write: WritePerfScript}, nil
	case JSONL:
		return &streamWriter{to: w, write: writeJSONLSnapshot}, nil
	}
	_, err := ParseFormat(string(f))
	return nil, err
}

// Write writes a snapshot in the given format. It returns an error for an unknown format, a snapshot that fails Check,
// or a failure of w.
func Write(w io.Writer, f Format, s *Snapshot) error {
	file, err := NewWriter(w, f)
	if err != nil {
		return err
	}
	return writeOne(file, s)
}
