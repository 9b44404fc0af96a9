package pprofx

import (
	"io"
)

// Writer writes consecutive snapshots of one recording as one file. What it keeps in memory does not grow with the
// recording, but with what is distinct: formats with a time for each sample are written as the snapshots come, the
// others are folded and written by Close. It is not safe for concurrent use.
type Writer interface {
	// Add adds a snapshot, which starts where the one before it ends, or beside one of another Measure. After an error
	// the file is not whole.
	Add(s *Snapshot) error
	// Close completes the file. It does not close the io.Writer.
	Close() error
	// LeftOut counts samples of the snapshots so far of which a part is not in the file.
	LeftOut() LeftOut
}

func writeOne(w Writer, s *Snapshot) error {
	if err := w.Add(s); err != nil {
		return err
	}
	return w.Close()
}

// streamWriter writes each snapshot when it comes.
type streamWriter struct {
	to    io.Writer
	write func(io.Writer, *Snapshot) error
	left  LeftOut
}

func (w *streamWriter) Add(s *Snapshot) error {
	if err := w.write(w.to, s); err != nil {
		return err
	}
	w.left.Add(s.LeftOut())
	return nil
}

func (w *streamWriter) LeftOut() LeftOut { return w.left }

func (w *streamWriter) Close() error { return nil }
