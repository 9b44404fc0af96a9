// Package jitcode keeps the machine code that samples are in: it is copied when a frame in it is named, before V8 moves
// or frees it, and written as perf's jitdump and perf's map. How many samples each instruction has is written beside
// them, and read again.
package jitcode

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/hotspan/hotspan/v8/stack"
)

// Limits of a recording.
const (
	maxCode   = 1 << 20  // bytes of one piece of code
	maxBytes  = 64 << 20 // of all files but those of samples
	maxPoints = 1 << 18  // instructions with samples
)

// Stats are what is missing.
type Stats struct {
	Pieces  int64 // of code that were copied
	Large   int64 // pieces over 1 MiB, or over the 64 MiB of a recording
	Unread  int64 // pieces that were gone or could not be read
	Samples int64 // at instructions of the pieces that were copied
	Lost    int64 // samples in code that was not copied, or of more instructions than are kept
}

// Recorder writes the machine code of processes into a directory. Process may be called on any goroutine, all else on
// one.
type Recorder struct {
	dir    string
	stats  Stats
	bytes  int // that may still be written
	points int // that may still be kept
	mu     sync.Mutex
	files  map[int]*files // by pid
	err    error          // the first one of writing
}

// Open makes the directory, if it is missing.
func Open(dir string) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("machine code: %w", err)
	}
	return &Recorder{dir: dir, bytes: maxBytes, points: maxPoints, files: map[int]*files{}}, nil
}

// Process returns what keeps the code of a process; nil of a nil Recorder. A pid that comes again is another program by
// now: its code goes on in the same files, and nothing at the old addresses counts any more.
func (r *Recorder) Process(pid int) *Process {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.files[pid]
	if of == nil {
		of = &files{r: r, pid: pid}
		r.files[pid] = of
	}
	return &Process{files: of, keys: map[stack.CodeKey]*piece{}, places: map[uint64]*piece{}}
}

// Close ends the files and writes those of samples and the maps. The Stats count all processes.
func (r *Recorder) Close() (Stats, error) {
	errs := []error{r.err}
	for _, f := range r.files {
		if len(f.pieces) > 0 {
			errs = append(errs, f.close())
		}
	}
	return r.stats, errors.Join(errs...)
}
