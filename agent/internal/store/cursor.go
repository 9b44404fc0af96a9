package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"github.com/google/renameio/v2"
)

// Cursor is how far one consumer of a Store has come. It is kept in the directory, so that the next agent goes on where
// this one ended. Lost and Waiting may be called from any goroutine, the others from one.
type Cursor struct {
	store *Store
	file  string
	fresh bool // it is not in the directory, or is damaged there

	// Damaged says why what the directory has cannot be read; nil if it can, or has nothing.
	Damaged error

	// Below the store's mu.
	next uint64 // sequence of the first that is not Done
	held uint64 // 1: Next has returned it; else 0
	lost int64  // of those before next
}

// Cursor returns the cursor of a consumer, whose name must be that of a file. A new consumer begins with what comes
// next, and so does one whose cursor is Damaged: most has been delivered, and would be there twice.
func (s *Store) Cursor(name string) (*Cursor, error) {
	c := &Cursor{store: s, file: cursorPrefix + name}
	next, err := readCursor(s.directory(), c.file)
	if errors.Is(err, errDamaged) {
		c.Damaged = err
	}
	if c.Damaged != nil || errors.Is(err, fs.ErrNotExist) {
		s.mu.Lock()
		next = s.next
		s.mu.Unlock()
		c.fresh, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	c.next = next
	return c, nil
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
func (c *Cursor) GoOn(before *Cursor) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	c.next, c.lost = before.next, before.lost
}

// Next returns the oldest snapshot that is not Done, as soon as there is one. The error is that of ctx.
func (c *Cursor) Next(ctx context.Context) (Entry, error) {
	for {
		e, ok, changed := c.take()
		if ok {
			return e, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		}
	}
}

// take returns the oldest snapshot that is not Done, if there is one, and a channel that is closed when there are more.
func (c *Cursor) take() (e Entry, ok bool, changed <-chan struct{}) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	left := c.store.from(c.next)
	if len(left) == 0 {
		return e, false, c.store.changed
	}
	e = left[0]
	c.lost += int64(e.Sequence - c.next)
	c.next, c.held = e.Sequence, 1
	return e, true, nil
}

// Done says that a snapshot is delivered, and all before it. If the error is not nil, the next agent delivers it again.
func (c *Cursor) Done(e Entry) error {
	c.store.mu.Lock()
	c.next, c.held = e.Sequence+1, 0
	c.store.mu.Unlock()
	return c.save()
}

func (c *Cursor) save() error {
	c.store.mu.Lock()
	next := c.next
	c.store.mu.Unlock()
	text := strconv.AppendUint(nil, next, 10)
	err := c.store.change(c.file, func() error {
		err := renameio.WriteFile(c.file, text, 0o600, renameio.WithRoot(c.store.directory()))
		if isFull(err) && c.overwrite(text) == nil {
			return nil
		}
		return err
	})
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err // the path is that of a temporary file
	}
	return err
}

// overwrite writes to the file that is there, which takes no room on a full disk. Numbers only rise, so nothing of the
// old one is left.
func (c *Cursor) overwrite(text []byte) error {
	f, err := c.store.directory().OpenFile(c.file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, 0)
	return errors.Join(err, f.Sync(), f.Close())
}

// Lost counts the snapshots that were removed before they were Done, at once, however long the consumer has the one
// that Next returned last. That one is not among them: the consumer may have read it before.
func (c *Cursor) Lost() int64 {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.lost + c.store.gone(c.next+c.held)
}

// Waiting counts the snapshots that are not Done, and not Lost.
func (c *Cursor) Waiting() int {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return int(c.held) + len(c.store.from(c.next+c.held))
}
