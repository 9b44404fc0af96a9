package jitcode

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/hotspan/hotspan/v8/functions"
)

// Recorder writes the machine code of processes into a directory. Process may be called on any goroutine, all else on
// one.
type Recorder struct {
	dir    string
	totals totals
	mu     sync.Mutex
	files  map[int]*files // by pid
}

// Open makes the directory, if it is missing.
func Open(dir string) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("machine code: %w", err)
	}
	return &Recorder{dir: dir, totals: totals{bytes: maxBytes, points: maxPoints}, files: map[int]*files{}}, nil
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
		of = &files{dir: r.dir, pid: pid}
		r.files[pid] = of
	}
	return &Process{files: of, totals: &r.totals, keys: map[functions.CodeKey]*piece{}, places: map[uint64]*piece{},
		native: map[place]*piece{}}
}

// Close ends the files and writes those of samples and the maps. The Stats count all processes.
func (r *Recorder) Close() (Stats, error) {
	errs := []error{r.totals.err}
	for _, f := range r.files {
		if len(f.pieces) > 0 {
			errs = append(errs, f.close())
		}
	}
	return r.totals.Stats, errors.Join(errs...)
}
