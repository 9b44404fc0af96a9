package pprofx

// Format is the name of a file format for snapshots, such as "pprof".
type Format string

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
