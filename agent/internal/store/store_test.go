package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var unlimited = Limits{Bytes: 1 << 40}

func open(t testing.TB, dir string, limits Limits) *Store {
	t.Helper()
	s, err := Open(dir, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// add appends a snapshot of n bytes that ended so long ago.
func add(t testing.TB, s *Store, n int, ago time.Duration) Entry {
	t.Helper()
	end := time.Now().Add(-ago)
	e, err := s.Append(make([]byte, n), end.Add(-time.Second).UnixNano(), end.UnixNano())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func sequences(s *Store) (all []uint64) {
	entries, _ := s.From(0)
	for _, e := range entries {
		all = append(all, e.Sequence)
	}
	return all
}

func TestStoreGoesOn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, unlimited)
	for i := range 3 {
		if _, err := s.Append(fmt.Append(nil, i), int64(i), int64(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir, unlimited); !errors.Is(err, ErrBusy) {
		t.Errorf("a second Store: %v", err)
	}
	s.Close()
	for _, name := range []string{".000000000004-3-4.otlp123", ".cursor-a77", "notes.txt", "4-3-4.otlp"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, dir, unlimited)
	entries, _ := s.From(2)
	if len(entries) != 2 || entries[0] != (Entry{2, 1, 2, 1}) || entries[1] != (Entry{3, 2, 3, 1}) {
		t.Fatalf("%v", entries)
	}
	if frame, err := s.Read(entries[1]); string(frame) != "2" || err != nil {
		t.Errorf("%q, %v", frame, err)
	}
	if e := add(t, s, 1, 0); e.Sequence != 4 {
		t.Errorf("the next is %d, want 4", e.Sequence)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	_, err := os.Stat(filepath.Join(dir, "notes.txt"))
	if len(left) != 0 || err != nil {
		t.Errorf("left: %v; a file that is not ours: %v", left, err)
	}
}

func TestLimits(t *testing.T) {
	s := open(t, t.TempDir(), Limits{Bytes: 250, Age: time.Hour})
	add(t, s, 100, 2*time.Hour)
	add(t, s, 100, 2*time.Hour)
	if got := sequences(s); !slices.Equal(got, []uint64{2}) {
		t.Errorf("%v: want the newest, though it is old", got)
	}
	for range 4 {
		add(t, s, 100, 0)
	}
	if got := sequences(s); !slices.Equal(got, []uint64{5, 6}) {
		t.Errorf("%v: want the last 200 bytes", got)
	}
	if got := s.Stats(); got != (Stats{Snapshots: 2, Bytes: 200, Evicted: 4}) {
		t.Errorf("%+v", got)
	}
	if _, err := s.Read(Entry{Sequence: 1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that was evicted: %v", err)
	}
}

// Snapshots from before the clock was set back, which have times in the future, keep no later one for longer.
func TestAgeAfterClockSetBack(t *testing.T) {
	s := open(t, t.TempDir(), Limits{Bytes: 1 << 20, Age: time.Hour})
	for _, age := range []time.Duration{-48 * time.Hour, -47 * time.Hour, 30 * time.Minute, 20 * time.Minute} {
		add(t, s, 100, age)
	}
	if got := sequences(s); !slices.Equal(got, []uint64{1, 2, 3, 4}) {
		t.Errorf("%v: want all, of which none is known to be old", got)
	}
	s.SetLimits(Limits{Bytes: 1 << 20, Age: 25 * time.Minute})
	if got := sequences(s); !slices.Equal(got, []uint64{4}) {
		t.Errorf("%v: want the one of the last 25 minutes", got)
	}
}

func TestCursor(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, unlimited)
	add(t, s, 1, 0)
	c, err := s.Cursor("a")
	if err != nil {
		t.Fatal(err)
	}
	go s.Append([]byte("x"), 1, 2)
	first, err := c.Next(t.Context())
	if err != nil || first.Sequence != 2 {
		t.Fatalf("%v, %v: a new cursor begins with what comes next", first, err)
	}
	add(t, s, 1, 0)
	if again, _ := c.Next(t.Context()); again != first || c.Waiting() != 2 {
		t.Errorf("%v, %d wait: want what is not done again", again, c.Waiting())
	}
	if err := c.Done(first); err != nil {
		t.Fatal(err)
	}
	s.Close()

	s = open(t, dir, unlimited)
	if c, err = s.Cursor("a"); err != nil {
		t.Fatal(err)
	}
	if e, _ := c.Next(t.Context()); e.Sequence != 3 {
		t.Errorf("%v after a restart, want 3", e)
	}
	s.limits.Bytes = 1
	add(t, s, 1, 0)
	add(t, s, 1, 0)
	if c.Lost() != 1 || c.Waiting() != 2 { // while the consumer has 3, which was removed too
		t.Errorf("%d lost, %d wait, want 1 and 2", c.Lost(), c.Waiting())
	}
	after, err := s.Cursor("a")
	if err != nil {
		t.Fatal(err)
	}
	after.GoOn(c) // without 3
	if after.Lost() != 2 || after.Waiting() != 1 {
		t.Errorf("%d lost, %d wait, want 2 and 1", after.Lost(), after.Waiting())
	}
	if e, _ := c.Next(t.Context()); e.Sequence != 5 || c.Lost() != 2 {
		t.Errorf("%v, %d lost, want 5 and 2", e, c.Lost())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Done(Entry{Sequence: 5}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// After all snapshots were removed, numbers go on where the cursors are: else a consumer would miss what comes. One
// that is new has lost none of those that nobody has taken.
func TestSequenceAfterRemoval(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, unlimited)
	c, err := s.Cursor("a")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := c.Done(add(t, s, 1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*.otlp"))
	for _, f := range files {
		os.Remove(f)
	}
	s = open(t, dir, unlimited)
	fresh, err := s.Cursor("b")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = s.Cursor("a"); err != nil {
		t.Fatal(err)
	}
	if e := add(t, s, 1, 0); e.Sequence != 4 {
		t.Errorf("%d, want 4", e.Sequence)
	}
	for name, c := range map[string]*Cursor{"a": c, "b": fresh} {
		e, err := c.Next(t.Context())
		if err != nil || e.Sequence != 4 || c.Lost() != 0 {
			t.Errorf("%s: %v, %v, %d lost, want 4 and 0", name, e, err, c.Lost())
		}
	}
}

// When the disk is full, the oldest make room; what does not fit at all is delivered from memory.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	s := open(t, dir, unlimited)
	for range 8 {
		add(t, s, 16<<10, 0)
	}
	if got := s.Stats(); got.Snapshots < 2 || got.Snapshots > 4 || got.Evicted != int64(8-got.Snapshots) {
		t.Errorf("%+v on a disk for 4", got)
	}
	large := make([]byte, 128<<10)
	large[5] = 7
	e, err := s.Append(large, 1, 2)
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	if frame, err := s.Read(e); err != nil || len(frame) != len(large) || frame[5] != 7 {
		t.Errorf("%d bytes, %v", len(frame), err)
	}
	if got := s.Stats(); got.Unwritten != 1 || got.Snapshots != 1 {
		t.Errorf("%+v", got)
	}
	add(t, s, 100, 0)
	for range 2 * maxInMemory {
		s.Append(large, 1, 2)
	}
	// the last ones are there: what is in memory makes no room on the disk
	if got := s.Stats(); len(s.memory) != maxInMemory || got.Snapshots != maxInMemory {
		t.Errorf("%d snapshots in memory, want %d; %+v", len(s.memory), maxInMemory, got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// What a disk does not take, for another reason than that it is full, costs nothing that is on it.
func TestBrokenDisk(t *testing.T) {
	s := open(t, t.TempDir(), unlimited)
	first := add(t, s, 3, 0)
	s.write = func(string, []byte) error { return unix.EIO }
	for range 2 * maxInMemory {
		if _, err := s.Append([]byte("frame"), 1, 2); !errors.Is(err, unix.EIO) {
			t.Fatal(err)
		}
	}
	if _, err := s.Read(first); err != nil || len(s.memory) != maxInMemory {
		t.Errorf("%d snapshots in memory; the first: %v", len(s.memory), err)
	}
	if got := s.Stats(); got.Snapshots != maxInMemory+1 || got.Evicted != maxInMemory {
		t.Errorf("%+v", got)
	}
}

// What was in memory is written when the disk takes snapshots again, so that it is there after a restart.
func TestMendedDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, unlimited)
	broken := func(string, []byte) error { return unix.EIO }
	for i, repair := range []func(){
		func() { add(t, s, 3, 0) },
		func() {
			if lost := s.WriteLeft(); lost != 0 {
				t.Errorf("%d are lost", lost)
			}
		},
	} {
		s.write = broken
		for range 2 {
			s.Append([]byte("frame"), 1, 2)
		}
		if lost := s.WriteLeft(); lost != 2 {
			t.Errorf("step %d: %d are lost, want 2", i, lost)
		}
		s.write = s.writeFile
		repair()
	}
	if got := s.Stats(); len(s.memory) != 0 || got.Unwritten != 4 || got.Evicted != 0 {
		t.Errorf("%d in memory, %+v", len(s.memory), got)
	}
	s.Close()
	if got := sequences(open(t, dir, unlimited)); !slices.Equal(got, []uint64{1, 2, 3, 4, 5}) {
		t.Errorf("%v after a restart", got)
	}
}

// A disk that hangs stalls nobody who reads, and snapshots come in order all the same.
func TestSlowDisk(t *testing.T) {
	s := open(t, t.TempDir(), unlimited)
	first := add(t, s, 3, 0)
	c, err := s.Cursor("a")
	if err != nil {
		t.Fatal(err)
	}
	writing, goOn := make(chan string), make(chan struct{})
	s.write = func(name string, frame []byte) error {
		writing <- name
		<-goOn
		return s.writeFile(name, frame)
	}
	appended := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := s.Append([]byte("x"), 1, 2)
			appended <- err
		}()
	}
	<-writing
	if frame, err := s.Read(first); err != nil || len(frame) != 3 {
		t.Errorf("%d bytes, %v", len(frame), err)
	}
	if got := s.Stats(); got.Snapshots != 1 || c.Waiting() != 0 {
		t.Errorf("%+v, %d wait: want what is on the disk only", got, c.Waiting())
	}
	select {
	case name := <-writing:
		t.Errorf("%s is written beside the one before it", name)
	case <-time.After(50 * time.Millisecond):
	}
	goOn <- struct{}{}
	<-writing
	goOn <- struct{}{}
	if err := errors.Join(<-appended, <-appended); err != nil {
		t.Fatal(err)
	}
	if got := sequences(s); !slices.Equal(got, []uint64{1, 2, 3}) || c.Waiting() != 2 {
		t.Errorf("%v, %d wait", got, c.Waiting())
	}
}
