package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync/atomic"

	"github.com/google/renameio/v2"
)

// Cursor is how far one consumer of a Store has come. It is kept in the directory, so that the next agent goes on where
// this one ended. Lost and Waiting may be called from any goroutine, the others from one.
type Cursor struct {
	store *Store
	file  string
	fresh bool          // it is not in the directory
	next  atomic.Uint64 // sequence
	lost  atomic.Int64
}

// Cursor returns the cursor of a consumer, whose name must be that of a file. A new consumer begins with what comes
// next.
func (s *Store) Cursor(name string) (*Cursor, error) {
	c := &Cursor{store: s, file: cursorPrefix + name}
	text, err := s.root.ReadFile(c.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.mu.Lock()
		c.next.Store(s.next)
		s.mu.Unlock()
		c.fresh = true
		return c, nil
	case err != nil:
		return nil, err
	}
	next, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.file, err)
	}
	c.next.Store(next)
	s.continueAfter(next)
	return c, nil
}

// continueAfter keeps sequence numbers rising after all snapshots were removed: a consumer must not miss those that
// would have its old numbers.
func (s *Store) continueAfter(sequence uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = max(s.next, sequence)
}

// Keep keeps the place of a new consumer, and does nothing for others. If the error is not nil, the next agent has that
// consumer begin anew.
func (c *Cursor) Keep() error {
	if !c.fresh {
		return nil
	}
	err := c.save()
	c.fresh = err != nil
	return err
}

// GoOn goes on where another Cursor of the same consumer is, which is not used any more.
func (c *Cursor) GoOn(before *Cursor) { c.next.Store(before.next.Load()) }

// Next returns the oldest snapshot that is not Done, as soon as there is one. The error is that of ctx.
func (c *Cursor) Next(ctx context.Context) (Entry, error) {
	for {
		e, waiting, changed := c.store.first(c.next.Load())
		if waiting > 0 {
			c.lost.Add(int64(e.Sequence - c.next.Load()))
			c.next.Store(e.Sequence)
			return e, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		}
	}
}

// Done says that a snapshot is delivered, and all before it. If the error is not nil, the next agent delivers it again.
func (c *Cursor) Done(e Entry) error {
	c.next.Store(e.Sequence + 1)
	return c.save()
}

func (c *Cursor) save() error {
	text := strconv.AppendUint(nil, c.next.Load(), 10)
	return renameio.WriteFile(c.file, text, 0o600, renameio.WithRoot(c.store.root))
}

// Lost counts the snapshots that were removed before they were Done.
func (c *Cursor) Lost() int64 { return c.lost.Load() }

// Waiting counts the snapshots that are not Done.
func (c *Cursor) Waiting() int {
	_, waiting, _ := c.store.first(c.next.Load())
	return waiting
}
