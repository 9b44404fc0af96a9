package elffile

import (
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/turn"
)

// TestReadOnceAtATime: processes of one executable that start at a time have it read once, and copies of it share what
// was parsed, also where none had a turn: then nothing stays of what was parsed twice.
func TestReadOnceAtATime(t *testing.T) {
	path, pid, mapping, _ := sleeper(t)
	rules := &tables{present: map[uint32]int{}}
	c := NewCache(rules)
	m := mapping()
	holds, files := make([]*Hold, 8), make([]*File, 8)
	var all sync.WaitGroup
	for i := range holds {
		holds[i] = c.Hold()
		all.Go(func() { files[i] = holds[i].Get(pid, m) })
	}
	all.Wait()
	for _, f := range files {
		if f != files[0] || rules.next != 1 {
			t.Fatalf("read %d times", rules.next)
		}
	}
	first := files[0].contents
	rules.next = 100
	twice := *first
	twice.slot, twice.files = 100, 1
	rules.present[100] = 1
	if got := c.add(&twice); got != first || first.files != 2 || rules.present[100] != 0 {
		t.Errorf("a copy that was parsed beside it: %d files, %d tables", first.files, len(rules.present))
	}
	c.mu.Lock()
	c.leave(first)
	c.unlock()
	other := opened(t, c, copyOf(t, path))
	if other.contents != first || len(rules.present) != 1 {
		t.Error("a copy does not share")
	}
	c.release(other)
	for _, h := range holds {
		h.Release()
	}
	if len(c.reading) != 0 {
		t.Errorf("%d files are being read", len(c.reading))
	}
}

// TestAlone: who reads a file makes those wait that need it, and no others.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(nil)
		slow, other := key{FileID: procs.FileID{Inode: 1}}, key{FileID: procs.FileID{Inode: 2}}
		began := time.Now()
		done := c.alone(slow)
		var waited sync.WaitGroup
		for i := range 3 {
			waited.Go(func() {
				defer c.alone(slow)()
				if time.Since(began) < time.Minute {
					t.Errorf("%d did not wait", i)
				}
			})
		}
		c.alone(other)()
		if time.Since(began) != 0 {
			t.Error("another file waited")
		}
		time.Sleep(time.Minute)
		done()
		waited.Wait()
		if len(c.reading) != 0 {
			t.Errorf("%d keys are kept", len(c.reading))
		}
	})
}

// TestNoTurn: of a file that has lost its turn no more is read than it may.
func TestNoTurn(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(limits.Passed + 2*pieceSize); err != nil {
		t.Fatal(err)
	}
	s, err := newStableFile(f)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	own := turn.New(limits).Begin(s.size)
	s.takes(own)
	own.Pass()
	if _, err := s.Bytes(0, limits.Passed); err != nil {
		t.Error(err)
	}
	const want = "too much of it would have to be read: more than 64 MiB"
	if _, err := s.Bytes(0, s.size); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
