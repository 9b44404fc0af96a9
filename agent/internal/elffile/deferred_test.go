package elffile

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/test/nodes"
)

// deferring is a cache that keeps large files later.
func deferring(t *testing.T, directory string) *Cache {
	t.Helper()
	c := kept(t, nil, directory)
	c.Defer()
	return c
}

// TestDeferred: a file whose keeping is deferred has all that it has otherwise, before and afterwards.
func TestDeferred(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "files")
	c, want := deferring(t, directory), opened(t, NewCache(nil), newest(t))
	f := opened(t, c, newest(t))
	small := opened(t, c, "/lib/x86_64-linux-gnu/libc.so.6") // does not wait for the turn of the large one
	if n := len(c.contents); f.Symbols.Encoded() != nil || n != 1 || small.contents.id == nil {
		t.Errorf("%d files are kept, want the small one", n)
	}
	equal(t, want, f, want.Rules.Rows)
	go func() {
		time.Sleep(time.Millisecond)
		c.RunDeferred()
	}()
	for range 50 { // meanwhile
		equal(t, want, f, want.Rules.Rows[:5000])
	}
	c.writes.Wait()
	if f.contents.entry == nil || f.Symbols.Encoded() != nil || len(c.dir.Names(f.BuildID)) != 1 {
		t.Error("it is not on disk, or still in memory")
	}
	equal(t, want, f, want.Rules.Rows)
	again := opened(t, kept(t, nil, directory), newest(t))
	if again.contents.entry == nil {
		t.Error("it was not read from disk")
	}
	equal(t, want, again, want.Rules.Rows)
}

// TestDeferredShare: a copy of a file whose keeping is deferred waits for that, and shares what was parsed.
func TestDeferredShare(t *testing.T) {
	c, began := deferring(t, filepath.Join(t.TempDir(), "files")), time.Now()
	f := opened(t, c, newest(t))
	again := opened(t, c, copyOf(t, newest(t)))
	if again.contents != f.contents || f.contents.files != 2 || time.Since(began) > 20*time.Second {
		t.Errorf("it is not shared, after %v", time.Since(began))
	}
	c.release(f)
	c.release(again)
	if c.dropIdle(time.Now().Add(time.Hour)); len(c.contents) != 0 {
		t.Error("contents stay")
	}
}

// TestDeferredMemory: a file that is read from the memory of a process does not wait for one whose keeping is deferred.
func TestDeferredMemory(t *testing.T) {
	c := deferring(t, filepath.Join(t.TempDir(), "files"))
	opened(t, c, newest(t))
	pid, files := waiting(t, nodes.Versions()[0].Version)
	began := time.Now()
	f, err := c.fromMemory(pid, files[len(files)-1], procs.ErrNoPath)
	if err != nil {
		t.Fatal(err)
	}
	defer c.release(f)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestDeferredDropped: a file that has no user any more when it could be kept is on disk, and nowhere else.
func TestDeferredDropped(t *testing.T) {
	directory, before := filepath.Join(t.TempDir(), "files"), descriptors(t)
	c := deferring(t, directory)
	c.release(opened(t, c, newest(t)))
	c.mu.Lock()
	c.dropIdle(time.Now().Add(time.Hour))
	c.mu.Unlock()
	c.Close()
	if n := len(c.contents); n != 0 {
		t.Errorf("%d contents stay", n)
	}
	if now := descriptors(t); now > before {
		t.Errorf("%d descriptors, %d before", now, before)
	}
	if f := opened(t, kept(t, nil, directory), newest(t)); f.contents.entry == nil {
		t.Error("it is not on disk")
	}
}
