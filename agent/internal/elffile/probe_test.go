package elffile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/test/slowfiles"
)

func TestMain(m *testing.M) {
	slowfiles.Main()
	os.Exit(m.Run())
}

// mappedBy returns the mapping of a file in a process.
func mappedBy(t *testing.T, pid int, file string) procs.Mapping {
	t.Helper()
	maps, err := procs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps {
		if m.Path == file {
			return m
		}
	}
	t.Fatalf("%s is not mapped by process %d", file, pid)
	return procs.Mapping{}
}

// TestSlowProbe: a file that does not come is not waited for again, for a while, whichever process has it. It is named.
func TestSlowProbe(t *testing.T) {
	dir := slowfiles.Mount(t, newest(t), slowfiles.Never)
	pids := []int{slowfiles.Map(t, dir+"/read"), slowfiles.Map(t, dir+"/read")}
	c := NewCache(nil)
	for i, pid := range pids {
		began := time.Now()
		has, err := c.Hold().HasV8(pid, mappedBy(t, pid, dir+"/read"))
		took := time.Since(began)
		want := fmt.Sprintf("%s/read: no answer in time: more than 5s", dir)
		if i > 0 {
			want += "; it is not read again for 1m0s"
		}
		if has || !errors.Is(err, procs.ErrSlow) || err.Error() != want || errors.Is(err, ErrNotAgain) != (i > 0) {
			t.Errorf("process %d: %v, %v; want %s", i, has, err, want)
		}
		if i > 0 && took > time.Second {
			t.Errorf("process %d: after %v", i, took)
		}
	}
	c.mu.Lock()
	for id, p := range c.probed {
		p.until = time.Now().Add(-time.Nanosecond)
		c.probed[id] = p
	}
	c.mu.Unlock()
	if _, err := c.Hold().HasV8(pids[1], mappedBy(t, pids[1], dir+"/read")); errors.Is(err, ErrNotAgain) {
		t.Errorf("after a minute: %v", err)
	}
}

// TestProbeOfReplacedFile: a file that was written to since is probed again.
func TestProbeOfReplacedFile(t *testing.T) {
	path := copyOf(t, newest(t))
	pid := slowfiles.Map(t, path)
	c, m := NewCache(nil), mappedBy(t, pid, path)
	if has, err := c.Hold().HasV8(pid, m); !has || err != nil {
		t.Fatal(has, err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, st.Size()), 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if has, err := c.Hold().HasV8(pid, m); has || err != nil {
			t.Errorf("%v, %v of a file that has nothing in it", has, err)
		}
	}
}

// TestDenied: that one process's file may not be read says nothing of it as another process has it.
func TestDenied(t *testing.T) {
	path, pid, mapping, id := sleeper(t)
	c, m := NewCache(nil), mapping()
	c.keepProbed(m.File(), probed{err: fmt.Errorf("open %s: %w", path, fs.ErrPermission)})
	if len(c.probed) != 0 {
		t.Error("a permission is kept")
	}
	gone := m
	gone.Path = "/no/such/file"
	denied := c.Hold()
	const nobody = 1 << 30
	f := denied.Get(nobody, gone)
	if len(f.Problems) != 1 || f.Number == 0 {
		t.Fatalf("%+v", f)
	}
	if c.Hold().Get(nobody, gone) != f {
		t.Error("another File of the same process")
	}
	if other := c.Hold().Get(pid, m); other.BuildID != id || other.Number == f.Number {
		t.Errorf("another process has %+v", other)
	}
}

// TestHoldIsBounded: when the files of a process have taken long, no more are read for it. Other processes have theirs.
func TestHoldIsBounded(t *testing.T) {
	_, pid, mapping, id := sleeper(t)
	c := NewCache(nil)
	h := c.Hold()
	h.spent = maxReading + 1
	f := h.Get(pid, mapping())
	if len(f.Problems) != 1 || !errors.Is(f.Problems[0], errReading) {
		t.Errorf("%v", f.Problems)
	}
	m := mapping()
	m.End = m.Start + minV8
	if _, err := h.HasV8(pid, m); !errors.Is(err, errReading) {
		t.Error(err)
	}
	if f := c.Hold().Get(pid, mapping()); f.BuildID != id {
		t.Errorf("%+v", f)
	}
}
