// Package pprof writes snapshots as profile.proto, which `go tool pprof` and many others read, and reads them from it:
// also those of other tools.
package pprof

import (
	"fmt"
	"io"

	"github.com/hotspan/hotspan/pprofx"
)

// Write writes a snapshot as a gzipped profile.proto.
//
// Each sample has two values, samples/count and cpu/nanoseconds; cpu is the default. Hits of probes have one value,
// hits/count, and waits have waits/count and off_cpu/nanoseconds. Where a file has snapshots of CPU time and of
// hits, each sample has the values of both, and 0 for the other's. Samples with the same stack, labels, process, thread
// and VM state are one. Besides the labels of the request they have thread_name, thread_id, pid and vm_state. The
// comments (`go tool pprof -comments`) have one line for each lost reason, and one for what each process says of
// itself, also where others have had its pid.
//
// An inlined function is a line of the location of the function it is inlined in. The mapping of a frame is the file
// that holds its code; JIT-compiled code has the mapping [v8], so `-show '\[v8\]'` shows JavaScript only.
// The system name of a function is its kind and name, js:main: functions that differ in kind stay apart when profiles
// are merged, and pprof does not take the names of JavaScript for mangled C++.
func Write(to io.Writer, s *pprofx.Snapshot) error { return writeOne(newWriter(to, hotspanStyle), s) }

// NewWriter returns a Writer of a file as Write writes one. It keeps what is distinct, and writes all by Close.
func NewWriter(to io.Writer) pprofx.Writer { return newWriter(to, hotspanStyle) }

func writeOne(w *writer, s *pprofx.Snapshot) error {
	if err := w.Add(s); err != nil {
		return err
	}
	return w.Close()
}

// writer folds snapshots into one profile, which it writes at the end.
type writer struct {
	to   io.Writer
	fold *fold
}

func newWriter(to io.Writer, style style) *writer {
	all := limits{pprofx.MaxFrames, pprofx.MaxStacks, pprofx.MaxLabelSets, pprofx.MaxRows}
	return &writer{to, newFold(style, all)}
}

// Add counts the samples of a snapshot.
func (w *writer) Add(s *pprofx.Snapshot) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := w.fold.header.add(s); err != nil {
		return err
	}
	v := newView(w.fold, s)
	for i := range s.Rows {
		v.count(&s.Rows[i])
	}
	return nil
}

// LeftOut counts what is not in the profile.
func (w *writer) LeftOut() pprofx.LeftOut { return w.fold.left }

// Close writes the profile.
func (w *writer) Close() error {
	if err := w.fold.encode(w.to); err != nil {
		return fmt.Errorf("write pprof: %w", err)
	}
	return nil
}
