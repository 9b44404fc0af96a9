package store

import (
	"errors"
	"io/fs"
	"sync/atomic"
	"time"
)

// mostWait is for how long a Store waits for its disk.
const mostWait = 10 * time.Second

// ErrHangs is the cause of an *fs.PathError: a disk has not answered in time.
var ErrHangs = errors.New("the disk hangs")

// waits are calls of the system that wait for a disk: all that read, or all that write.
type waits struct {
	most time.Duration
	hang atomic.Int32 // calls that have taken longer, and still do
}

// do calls what waits for a disk, for which nothing ends it. If that takes too long it goes on alone, and further calls
// fail at once, so that only one waits for a disk that hangs. name is that of the file.
func do[T any](w *waits, op, name string, call func() (T, error)) (value T, err error) {
	hangs := &fs.PathError{Op: op, Path: name, Err: ErrHangs}
	if w.hang.Load() > 0 {
		return value, hangs
	}
	done := make(chan struct{})
	var result T
	var failure error
	go func() {
		result, failure = call()
		close(done)
	}()
	timer := time.NewTimer(w.most)
	defer timer.Stop()
	select {
	case <-done:
		return result, failure
	case <-timer.C:
	}
	w.hang.Add(1)
	go func() {
		<-done
		w.hang.Add(-1)
	}()
	return value, hangs
}
