// Package store keeps snapshots in a directory, one file for each: what outputs have still to deliver, what can be
// asked for later, and where an agent goes on that was killed.
//
// A file is called SEQUENCE-START-END.otlp: a number that rises by one with each snapshot, and the interval in
// nanoseconds of Unix time. Its content is a frame of package otlp, with a checksum. A file is there as a whole or not
// at all.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/trusted"
)

// Limits bound what a Store keeps. The oldest snapshots go first, whoever has still to deliver them; the newest stays.
type Limits struct {
	Bytes int64         // of all files together
	Age   time.Duration // since a snapshot's end; 0 = any
}

// Store is a directory of snapshots. It is safe for concurrent use. Only one Store can have a directory at a time.
type Store struct {
	path   string
	limits Limits

	appending sync.Mutex // held for as long as the disk takes, so that snapshots come in order
	write     func(name string, frame []byte) error

	reads, writes waits

	mu      sync.Mutex // never held while the disk works
	root    *os.Root
	lock    *os.File
	entries []Entry           // by sequence; one that is missing was lost
	memory  map[uint64][]byte // frames that the disk did not take, by sequence
	bytes   int64
	next    uint64        // sequence of the next snapshot
	added   uint64        // the sequence that follows those of entries, also while the disk takes the next one
	changed chan struct{} // closed when entries are added, and replaced
	stats   Stats
}

// Stats says what a Store holds and what it has lost.
type Stats struct {
	Snapshots int
	Bytes     int64
	Evicted   int64 // snapshots that went because of the limits
	Unwritten int64 // snapshots that the disk did not take at first: they were in memory only
}

// maxInMemory bounds the snapshots that a full disk leaves in memory.
const maxInMemory = 64

// ErrBusy says that another program uses the directory.
var ErrBusy = errors.New("another hotspan uses it")

// Open opens a directory, which must be an absolute path, and makes it where it is missing. The error is
// trusted.ErrUntrusted if others could write to it, ErrBusy if another Store has it, or one of the system.
func Open(dir string, limits Limits) (*Store, error) {
	root, err := trusted.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	s := &Store{
		path: dir, root: root, limits: limits, changed: make(chan struct{}), memory: map[uint64][]byte{},
		reads: waits{most: mostWait}, writes: waits{most: mostWait},
	}
	s.write = s.writeFile
	if err := s.open(); err != nil {
		s.Close()
		return nil, fmt.Errorf("snapshots in %s: %w", dir, err)
	}
	return s, nil
}

func (s *Store) open() (err error) {
	if s.lock, err = lockIn(s.root); err != nil {
		return err
	}
	return s.scan()
}

// lockIn locks a directory, until the file is closed.
func lockIn(root *os.Root) (*os.File, error) {
	lock, err := root.OpenFile("lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		return lock, nil
	}
	lock.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrBusy
	}
	return nil, err
}

// openAgain makes the directory anew, which somebody has removed, with the snapshots in it. The caller holds
// s.appending.
func (s *Store) openAgain() error {
	root, err := trusted.Open(s.path)
	if err != nil {
		return err
	}
	lock, err := lockIn(root)
	if err != nil {
		return errors.Join(err, root.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.root.Close()
	s.lock.Close()
	s.root, s.lock = root, lock
	for i := len(s.entries) - 1; i >= 0; i-- {
		if s.onDisk(s.entries[i]) {
			s.evict(nil, i)
		}
	}
	return nil
}

// directory is the one that files are in now.
func (s *Store) directory() *os.Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.root
}

// scan reads what an earlier Store left, and removes what it was writing when it was killed.
func (s *Store) scan() error {
	dir, err := s.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	files, err := dir.ReadDir(-1)
	if err != nil {
		return err
	}
	s.next = 1
	for _, f := range files {
		if e, ok := Parse(f); ok {
			s.entries = append(s.entries, e)
			s.bytes += e.Size
			s.next = max(s.next, e.Sequence+1)
		} else if strings.HasPrefix(f.Name(), cursorPrefix) && f.Type().IsRegular() {
			// If all snapshots were removed, a consumer must not miss those that would have its old numbers.
			next, _ := readCursor(s.root, f.Name()) // who asks for it is told
			s.next = max(s.next, next)
		} else if isTemporary(f.Name()) {
			if err := s.root.Remove(f.Name()); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
	}
	slices.SortStableFunc(s.entries, func(a, b Entry) int { return cmp.Compare(a.Sequence, b.Sequence) })
	s.added = s.next
	return nil
}

// Close lets go of the directory. The snapshots stay.
func (s *Store) Close() error {
	err := s.root.Close()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// Append keeps the frame of the snapshot of [start, end). If the disk is full, the oldest snapshots make room. The
// error says why the snapshot could not be written, such as ErrHangs: then it is in memory only, until the disk takes a
// later one, or lost when the program ends. The other methods but WriteLeft do not wait for the disk meanwhile.
func (s *Store) Append(frame []byte, start, end int64) (Entry, error) {
	s.appending.Lock()
	defer s.appending.Unlock()
	s.mu.Lock()
	e := Entry{s.next, start, end, int64(len(frame))}
	s.next++
	s.mu.Unlock()
	err := s.put(e, frame)
	for isFull(err) && s.makeRoom() {
		err = s.put(e, frame)
	}
	if errors.Is(err, fs.ErrNotExist) && s.openAgain() == nil {
		err = s.put(e, frame)
	}
	s.remove(s.add(e, frame, err != nil))
	if err == nil {
		s.writeMemory()
	}
	return e, err
}

// WriteLeft writes what is in memory, as far as the disk takes it. It returns how many snapshots are lost when the
// program ends now. It does not wait for an Append that the disk keeps.
func (s *Store) WriteLeft() (lost int) {
	if s.appending.TryLock() {
		defer s.appending.Unlock()
		s.writeMemory()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.memory)
}

// writeMemory writes what the disk did not take before, the oldest first, until it does not take one. The caller holds
// s.appending.
func (s *Store) writeMemory() {
	for {
		s.mu.Lock()
		i := slices.IndexFunc(s.entries, s.inMemory)
		if i < 0 {
			s.mu.Unlock()
			return
		}
		e := s.entries[i]
		frame := s.memory[e.Sequence]
		s.mu.Unlock()
		if s.put(e, frame) != nil {
			return
		}
		s.mu.Lock()
		evicted := !s.inMemory(e) // meanwhile
		delete(s.memory, e.Sequence)
		s.mu.Unlock()
		if evicted {
			s.remove([]Entry{e})
		}
	}
}

// isFull reports whether a disk, or what its owner may have of it, is used up.
func isFull(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// makeRoom removes the oldest snapshot on the disk; false if there is none.
func (s *Store) makeRoom() bool {
	s.mu.Lock()
	oldest := slices.IndexFunc(s.entries, s.onDisk)
	var evicted []Entry
	if oldest >= 0 {
		evicted = s.evict(evicted, oldest)
	}
	s.mu.Unlock()
	s.remove(evicted)
	return len(evicted) > 0
}

// add makes an entry known, and returns the entries whose files are to be removed for it.
func (s *Store) add(e Entry, frame []byte, inMemory bool) (evicted []Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if inMemory {
		s.stats.Unwritten++
		s.memory[e.Sequence] = frame
	}
	s.entries, s.added = append(s.entries, e), e.Sequence+1
	s.bytes += e.Size
	evicted = s.evictAll(time.Now())
	close(s.changed)
	s.changed = make(chan struct{})
	return evicted
}

// SetLimits bounds what the Store keeps from now on.
func (s *Store) SetLimits(l Limits) {
	s.mu.Lock()
	s.limits = l
	evicted := s.evictAll(time.Now())
	s.mu.Unlock()
	s.remove(evicted)
}

// evictAll forgets what is beyond the limits, and returns the entries whose files are to be removed.
func (s *Store) evictAll(now time.Time) (evicted []Entry) {
	for s.tooMany(now) {
		evicted = s.evict(evicted, 0)
	}
	for len(s.memory) > maxInMemory {
		evicted = s.evict(evicted, slices.IndexFunc(s.entries, s.inMemory))
	}
	return evicted
}

// put writes the file of an entry. If the disk hangs, it may be there later, where nobody knows of it before the next
// scan.
func (s *Store) put(e Entry, frame []byte) error {
	name := e.name()
	return s.change(name, func() error { return s.write(name, frame) })
}

// change has a call change what is on the disk.
func (s *Store) change(name string, call func() error) error {
	_, err := do(&s.writes, "write", name, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// writeFile puts a file in place, so that it is there after a loss of power.
func (s *Store) writeFile(name string, data []byte) error {
	root := s.directory()
	if err := renameio.WriteFile(name, data, 0o600, renameio.WithRoot(root)); err != nil {
		return err
	}
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// remove removes the files of entries. One that stays is found by the next scan.
func (s *Store) remove(entries []Entry) {
	for _, e := range entries {
		name := e.name()
		_ = s.change(name, func() error { return s.directory().Remove(name) })
	}
}

// tooMany reports whether the oldest entry is beyond the limits. The newest never is.
func (s *Store) tooMany(now time.Time) bool {
	if len(s.entries) < 2 {
		return false
	}
	return s.limits.Age > 0 && s.isOld(now) || s.bytes > s.limits.Bytes
}

// isOld reports whether the oldest entry is. Where the clock was set back since, that may end in the future: the first
// behind it that does not is as old at most.
func (s *Store) isOld(now time.Time) bool {
	for _, e := range s.entries[:len(s.entries)-1] {
		if age := now.Sub(time.Unix(0, e.End)); age >= 0 {
			return age > s.limits.Age
		}
	}
	return false
}

// onDisk reports whether an entry takes room there.
func (s *Store) onDisk(e Entry) bool { return !s.inMemory(e) }

func (s *Store) inMemory(e Entry) bool { return s.memory[e.Sequence] != nil }

// evict forgets an entry, and appends it to those whose files are to be removed if it has one.
func (s *Store) evict(to []Entry, i int) []Entry {
	e := s.entries[i]
	if s.onDisk(e) {
		to = append(to, e)
	}
	delete(s.memory, e.Sequence)
	s.bytes -= e.Size
	s.stats.Evicted++
	s.entries = slices.Delete(s.entries, i, i+1)
	return to
}

// Read returns the frame of an entry. The error is fs.ErrNotExist if it was evicted, ErrHangs if the disk does not
// answer.
func (s *Store) Read(e Entry) ([]byte, error) {
	s.mu.Lock()
	frame, ok := s.memory[e.Sequence]
	s.mu.Unlock()
	if ok {
		return frame, nil
	}
	name := e.name()
	return do(&s.reads, "read", name, func() ([]byte, error) { return s.directory().ReadFile(name) })
}

// from returns the entries from a sequence number on. The caller holds s.mu.
func (s *Store) from(sequence uint64) []Entry {
	i, _ := slices.BinarySearchFunc(s.entries, sequence, Entry.compare)
	return s.entries[i:]
}

// gone counts the snapshots from a sequence number on that were removed. The caller holds s.mu.
func (s *Store) gone(sequence uint64) int64 {
	return int64(max(s.added, sequence)-sequence) - int64(len(s.from(sequence)))
}

// From returns the entries from a sequence number on, and a channel that is closed when there are more.
func (s *Store) From(sequence uint64) ([]Entry, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.from(sequence)), s.changed
}

// Stats returns what the Store holds and has lost since it was opened.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.stats
	out.Snapshots, out.Bytes = len(s.entries), s.bytes
	return out
}
