package pprofx

import (
	"fmt"
	"io"
)

// WritePprof writes a snapshot as a gzipped profile.proto, which `go tool pprof` reads.
//
// Each sample has two values, samples/count and cpu/nanoseconds; cpu is the default. Hits of probes have one value,
// hits/count, and waits have waits/count and off_cpu/nanoseconds. Where a Writer has snapshots of CPU time and of
// hits, each sample has the values of both, and 0 for the other's. Samples with the same stack, labels, process, thread
// and VM state are one. Besides the labels of the request they have thread_name, thread_id, pid and vm_state. The
// comments (`go tool pprof -comments`) have one line for each lost reason, and one for what each process says of
// itself, also where others have had its pid.
//
// An inlined function is a line of the location of the function it is inlined in. The mapping of a frame is the file
// that holds its code; JIT-compiled code has the mapping [v8], so `-show '\[v8\]'` shows JavaScript only.
// The system name of a function is its kind and name, js:main: functions that differ in kind stay apart when profiles
// are merged, and pprof does not take the names of JavaScript for mangled C++.
func WritePprof(w io.Writer, s *Snapshot) error { return writeOne(newPprofWriter(w, hotspanStyle), s) }

// pprofWriter folds snapshots into one profile, which it writes at the end.
type pprofWriter struct {
	to   io.Writer
	fold *pprofFold
}

func newPprofWriter(to io.Writer, style pprofStyle) *pprofWriter {
	return &pprofWriter{to, newPprofFold(style, pprofLimits{MaxFrames, MaxStacks, MaxLabelSets, MaxRows})}
}

// Add counts the samples of a snapshot.
func (w *pprofWriter) Add(s *Snapshot) error {
	if err := s.Check(); err != nil {
		return err
	}
	if err := w.fold.header.add(s); err != nil {
		return err
	}
	v := newPprofView(w.fold, s)
	for i := range s.Rows {
		v.count(&s.Rows[i])
	}
	return nil
}

// LeftOut counts what is not in the profile.
func (w *pprofWriter) LeftOut() LeftOut { return w.fold.left }

// Close writes the profile.
func (w *pprofWriter) Close() error {
	if err := w.fold.encode(w.to); err != nil {
		return fmt.Errorf("write pprof: %w", err)
	}
	return nil
}
