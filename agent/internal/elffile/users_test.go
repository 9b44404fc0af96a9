package elffile

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// tables counts the tables of unwind rules, as the BPF maps would have them.
type tables struct {
	mu       sync.Mutex
	present  map[uint32]int // rows
	next     uint32
	removing func() // is called before a table is removed; may be nil
}

func (t *tables) AddTable(table *unwind.Table) (slot, pages uint32, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	t.present[t.next] = len(table.Rows)
	return t.next, 1, nil
}

func (t *tables) RemoveTable(slot uint32) error {
	if t.removing != nil {
		t.removing()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.present, slot)
	return nil
}

// started is a program that waits for the end of its input.
func started(t *testing.T, path string) (pid int, end func()) {
	t.Helper()
	cmd := exec.Command(path)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal(err1, err2)
	}
	io.WriteString(in, "x")
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	end = func() { in.Close(); cmd.Wait() }
	t.Cleanup(end)
	return cmd.Process.Pid, end
}

func copyOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}

// getAll gets every file that a process has mapped.
func getAll(t *testing.T, h *Hold, pid int) {
	t.Helper()
	maps, err := procs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps {
		if m.Exec && m.Inode != 0 {
			h.Get(pid, m)
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}

// What the cache took for a process returns when the last process with its files has ended.
func TestReleaseAfterLastProcess(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	rules := &tables{present: map[uint32]int{}}
	c := NewCache(rules)
	c.idleFor = 0
	pid, _ := started(t, cat)
	before := descriptors(t)
	stays := c.Hold()
	getAll(t, stays, pid)
	files, slots := len(c.files), len(rules.present)
	for range 5 {
		pid, end := started(t, copyOf(t, cat))
		h := c.Hold()
		getAll(t, h, pid)
		getAll(t, h, pid) // the mappings are read again
		if c.Len() != files+1 {
			t.Errorf("%d files, want one more than %d", len(c.files), files)
		}
		end()
		h.Release()
	}
	if c.Len() != files || len(rules.present) != slots || len(c.idle) != 0 {
		t.Errorf("%d files and %d tables, want %d and %d as before", len(c.files), len(rules.present), files, slots)
	}
	stays.Release()
	if len(c.files) != 0 || len(rules.present) != 0 {
		t.Errorf("%d files and %d tables after the last process", len(c.files), len(rules.present))
	}
	if now := descriptors(t); now > before {
		t.Errorf("%d descriptors, %d before", now, before)
	}
}

// The next process finds the files of the one before, for a time and within bounds.
func TestFilesStayForNextProcess(t *testing.T) {
	path, pid, mapping, _ := sleeper(t)
	rules := &tables{present: map[uint32]int{}}
	c := NewCache(rules)
	c.idleFor = 100 * time.Millisecond
	h := c.Hold()
	f := h.Get(pid, mapping())
	h.Release()
	h = c.Hold()
	if h.Get(pid, mapping()) != f || len(rules.present) != 1 {
		t.Error("the file was read again")
	}
	h.Release()

	h = c.Hold()
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	if h.Get(pid, mapping()) == f {
		t.Error("the file has changed since no process had it mapped, and was not read again")
	}
	h.Release()
	deadline := time.Now().Add(10 * time.Second)
	gone := func() bool { rules.mu.Lock(); defer rules.mu.Unlock(); return c.Len() == 0 && len(rules.present) == 0 }
	for !gone() && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if !gone() {
		t.Errorf("%d files and %d tables stay", len(c.files), len(rules.present))
	}
}

// While a table is removed, which waits for BPF programs that run, others use the cache.
func TestRemovalDelaysNobody(t *testing.T) {
	_, pid, mapping, _ := sleeper(t)
	rules := &tables{present: map[uint32]int{}}
	c := NewCache(rules)
	c.idleFor = 0
	rules.removing = func() {
		used := make(chan int)
		go func() { used <- c.Len() }()
		select {
		case <-used:
		case <-time.After(10 * time.Second):
			t.Error("who uses the cache waits")
			go func() { <-used }()
		}
	}
	h := c.Hold()
	h.Get(pid, mapping())
	h.Release()
	if rules.next != 1 || len(rules.present) != 0 {
		t.Errorf("%d tables were added, there are %d", rules.next, len(rules.present))
	}
}

func TestIdleFilesHaveBounds(t *testing.T) {
	c := NewCache(&tables{present: map[uint32]int{}})
	for i := range uint64(2 * maxIdle) {
		f := c.put(key{FileID: procs.FileID{Inode: i + 1}}, &File{})
		c.release(f)
	}
	if len(c.idle) != maxIdle || len(c.files) != maxIdle {
		t.Errorf("%d files without users, want %d", len(c.idle), maxIdle)
	}
	var large *File
	for i := range uint64(2) {
		large = &File{Slot: 1, contents: &contents{rows: idleBytes / 8, files: 1}}
		c.put(key{FileID: procs.FileID{Inode: 1<<20 + i}}, large)
		c.release(large)
	}
	if len(c.idle) != 1 || c.idle[0] != large || len(c.files) != 1 {
		t.Errorf("%d files with more rules than %d bytes, want the newest alone", len(c.idle), idleBytes)
	}
}
