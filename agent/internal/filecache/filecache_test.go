package filecache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/trusted"
)

func newDir(t *testing.T, limit int64) (*Dir, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hotspan", "files")
	d, err := Open(path, "version 1", limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, path
}

func contents(t *testing.T, e *Entry) (out [][]byte) {
	t.Helper()
	for _, p := range e.Parts {
		b, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func TestPutAndGet(t *testing.T) {
	d, path := newDir(t, 1<<20)
	if err := d.Put("a-1", []byte("one"), nil, []byte("three")); err != nil {
		t.Fatal(err)
	}
	if err := d.Put("a-1", []byte("again"), nil, []byte("3")); err != nil {
		t.Fatal(err)
	}
	e, err := d.Get("a-1")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got := fmt.Sprintf("%q", contents(t, e)); got != `["again" "" "3"]` {
		t.Errorf("parts %s", got)
	}
	if got := d.Names("a-"); !slices.Equal(got, []string{"a-1"}) || d.Names("b") != nil {
		t.Errorf("names %q", got)
	}
	if _, err := d.Get("b"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	other, err := Open(path, "version 2", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Get("a-1"); err == nil || d.Names("") != nil {
		t.Errorf("another version: %v, %q stay", err, d.Names(""))
	}
}

// No byte of a file can be another one.
func TestDamage(t *testing.T) {
	d, path := newDir(t, 1<<20)
	for at := 0; ; at++ {
		if err := d.Put("name", []byte("one"), []byte("two")); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(path, "name"))
		if err != nil {
			t.Fatal(err)
		}
		if at == len(b) {
			break
		}
		for _, damaged := range [][]byte{
			slices.Concat(b[:at], []byte{b[at] ^ 1}, b[at+1:]), b[:at], slices.Concat(b, b[:at+1]),
		} {
			if err := os.WriteFile(filepath.Join(path, "name"), damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if e, err := d.Get("name"); err == nil {
				t.Fatalf("byte %d: %q", at, contents(t, e))
			}
			if len(d.Names("")) != 0 {
				t.Fatal("a damaged file stays")
			}
		}
	}
}

func TestOldestGo(t *testing.T) {
	d, path := newDir(t, 3500)
	for i := range 3 {
		if err := d.Put(fmt.Sprint(i), make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(path, fmt.Sprint(i)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	e, err := d.Get("0") // used now
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := os.WriteFile(filepath.Join(path, temporary+"killed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stale := time.Now().Add(-2 * staleAfter)
	if err := os.Chtimes(filepath.Join(path, temporary+"killed"), stale, stale); err != nil {
		t.Fatal(err)
	}
	if err := d.Put("3", make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	names := d.Names("")
	slices.Sort(names)
	if !slices.Equal(names, []string{"0", "2", "3"}) || len(d.list()) != 3 {
		t.Errorf("%q stay", names)
	}
	if err := d.Put("4", make([]byte, 4000)); err == nil {
		t.Error("more than the limit")
	}
	if !bytes.Equal(contents(t, e)[0], make([]byte, 1000)) {
		t.Error("an open entry has changed")
	}
}

// Others must not be able to say what this user reads.
func TestUntrusted(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, base string)
		want   string
	}{
		{"own", func(*testing.T, string) {}, ""},
		{"writable", func(t *testing.T, base string) { chmod(t, base+"/hotspan/files", 0o722) }, "others could write"},
		{"group", func(t *testing.T, base string) { chmod(t, base+"/hotspan/files", 0o720) }, "others could write"},
		{"sticky", func(t *testing.T, base string) { chmod(t, base+"/hotspan/files", 0o777|os.ModeSticky) },
			"others could write"},
		{"above", func(t *testing.T, base string) { chmod(t, base+"/hotspan", 0o777) }, "others could write"},
		{"above, sticky", func(t *testing.T, base string) { chmod(t, base+"/hotspan", 0o777|os.ModeSticky) }, ""},
		{"of another", func(t *testing.T, base string) { chown(t, base+"/hotspan/files") }, "belongs to user 65534"},
		{"above of another", func(t *testing.T, base string) { chown(t, base+"/hotspan") }, "belongs to user 65534"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := t.TempDir()
			if err := os.MkdirAll(base+"/hotspan/files", 0o700); err != nil {
				t.Fatal(err)
			}
			tt.change(t, base)
			d, err := Open(base+"/hotspan/files", "", 1)
			if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, trusted.ErrUntrusted) ||
				!strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if err == nil {
				d.Close()
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func chown(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	if err := os.Chown(path, 65534, 65534); err != nil {
		t.Fatal(err)
	}
}

func TestUntrustedFile(t *testing.T) {
	d, path := newDir(t, 1<<20)
	if err := d.Put("a", []byte("x")); err != nil {
		t.Fatal(err)
	}
	chmod(t, path+"/a", 0o666)
	if _, err := d.Get("a"); !errors.Is(err, trusted.ErrUntrusted) {
		t.Errorf("a file that others can write: %v", err)
	}
	if err := os.Symlink("/etc/passwd", path+"/b"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get("b"); err == nil {
		t.Error("a link is followed")
	}
}

func TestConcurrentPuts(t *testing.T) {
	d, path := newDir(t, 100_000)
	other, err := Open(path, "version 1", 100_000)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			d := []*Dir{d, other}[i%2]
			for n := range 30 {
				want := bytes.Repeat([]byte{byte(i)}, 10_000)
				if err := d.Put("name", want, want); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Error(n, err)
				}
				e, err := d.Get("name")
				if err != nil {
					continue // removed for the next one
				}
				if got := contents(t, e); !bytes.Equal(got[0], got[1]) || len(got[0]) != len(want) {
					t.Error("a mixture")
				}
				e.Close()
			}
		})
	}
	all.Wait()
}

func FuzzOpen(f *testing.F) {
	f.Add(slices.Concat(head("v", [][]byte{[]byte("one"), []byte("two")}), []byte("onetwo")))
	f.Fuzz(func(t *testing.T, b []byte) {
		parts, err := open(bytes.NewReader(b), int64(len(b)), "v")
		if err != nil {
			return
		}
		for _, p := range parts {
			if _, err := io.ReadAll(p); err != nil {
				t.Error(err)
			}
		}
	})
}
