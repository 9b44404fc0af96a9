// Package turn bounds the memory that it takes to read and parse files of processes. One file at a time has a turn, and
// beside it one small and one large file. A file that is slow passes its turn on and goes on beside others: these have
// a budget together.
package turn

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits are how many bytes files have, and how many may be read.
type Limits struct {
	Small     int64 // size of a file up to which it is small
	Large     int64 // size of a file above which it is large
	One       int64 // of a file with a turn
	Passed    int64 // of a file without one
	AllPassed int64 // of all files without one that are being read
}

// Longest is how long a file waits for the one before it. Then it goes on without a turn.
const Longest = 30 * time.Second

// ErrTooMuch says that more of a file would have to be read than may be.
var ErrTooMuch = errors.New("too much of it would have to be read")

// Turns are safe for concurrent use.
type Turns struct {
	limits              Limits
	small, usual, large chan struct{}

	mu     sync.Mutex
	passed int64 // bytes of the files without a turn
}

// New makes Turns that nobody has.
func New(l Limits) *Turns {
	return &Turns{
		limits: l, small: make(chan struct{}, 1), usual: make(chan struct{}, 1), large: make(chan struct{}, 1),
	}
}

// Turn is that of one file. Its methods are safe for concurrent use, and may be called on nil.
type Turn struct {
	all    *Turns
	of     chan struct{} // nil: it has passed it on, or had none
	ended  bool
	passed bool
	read   int64
}

// Begin waits for the turn of a file of a size. The caller ends it.
func (t *Turns) Begin(size int64) *Turn {
	of := t.usual
	switch {
	case size <= t.limits.Small:
		of = t.small
	case size > t.limits.Large:
		of = t.large
	}
	late := time.NewTimer(Longest)
	defer late.Stop()
	select {
	case of <- struct{}{}:
		return &Turn{all: t, of: of}
	case <-late.C:
		return t.Without()
	}
}

// Without lets a file that is known to be slow go on beside others at once. The caller ends it.
func (t *Turns) Without() *Turn { return &Turn{all: t, passed: true} }

// Pass lets the next file have the turn, while this one goes on.
func (t *Turn) Pass() {
	if t == nil {
		return
	}
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.passed || t.ended {
		return
	}
	t.passed = true
	t.all.passed += t.read
	t.release()
}

// End ends it.
func (t *Turn) End() {
	if t == nil {
		return
	}
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.passed && !t.ended {
		t.all.passed -= t.read
	}
	t.ended = true
	t.release()
}

func (t *Turn) release() {
	if t.of != nil {
		<-t.of
		t.of = nil
	}
}

// Take counts bytes that are about to be read of the file. The error is ErrTooMuch: then they are not to be read.
func (t *Turn) Take(n int64) error {
	if t == nil {
		return nil
	}
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	l := t.all.limits
	one := l.One
	if t.passed {
		one = l.Passed
	}
	switch {
	case t.read+n > one:
		return fmt.Errorf("%w: more than %d MiB", ErrTooMuch, one>>20)
	case t.passed && t.all.passed+n > l.AllPassed:
		return fmt.Errorf("%w: with the other files that are slow more than %d MiB", ErrTooMuch, l.AllPassed>>20)
	}
	t.read += n
	if t.passed {
		t.all.passed += n
	}
	return nil
}
