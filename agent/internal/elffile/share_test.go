package elffile

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/blocks"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// opened returns the File of a path, as if a process had it mapped.
func opened(t *testing.T, c *Cache, path string) *File {
	t.Helper()
	m, err := procs.Identify(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return c.open(key{FileID: m.File()}, f, path, t.TempDir())
}

// changed copies a file and adds one to a byte of it.
func changed(t *testing.T, path string, at int64) string {
	t.Helper()
	to := copyOf(t, path)
	f, err := os.OpenFile(to, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		t.Fatal(err)
	}
	b[0]++
	if _, err := f.WriteAt(b[:], at); err != nil {
		t.Fatal(err)
	}
	return to
}

// Copies of a Node.js share what was parsed. A file with its build id and another byte in anything that was parsed does
// not, and changes nothing for Node.js.
func TestCopiesShare(t *testing.T) {
	path := newest(t)
	rules := &tables{present: map[uint32]int{}}
	c := NewCache(rules)
	node := opened(t, c, path)
	again := opened(t, c, copyOf(t, path))
	if again == node || again.Slot != node.Slot || again.Symbols != node.Symbols || again.Rules != node.Rules ||
		again.Layout != node.Layout || len(rules.present) != 1 || again.Path == node.Path {
		t.Errorf("a copy does not share: %d tables", len(rules.present))
	}
	c.release(again)

	ef, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ef.Close()
	rows := rules.present[node.Slot]
	symbol, _ := node.Symbols.Lookup(node.Layout.Builtins.Start)
	for _, at := range []struct {
		section string
		offset  uint64
	}{
		{".eh_frame", ef.Section(".eh_frame").Size / 2},
		{".strtab", ef.Section(".strtab").Size / 2},
		{".symtab", ef.Section(".symtab").Size / 2},
		{".dynsym", ef.Section(".dynsym").Size / 2},
	} {
		other := opened(t, c, changed(t, path, int64(ef.Section(at.section).Offset+at.offset)))
		if other.BuildID != node.BuildID {
			t.Fatalf("%s: build id %s", at.section, other.BuildID)
		}
		if other.Symbols == node.Symbols || other.Rules == node.Rules || other.Slot == node.Slot {
			t.Errorf("a file with another %s shares what was parsed", at.section)
		}
		got, _ := node.Symbols.Lookup(node.Layout.Builtins.Start)
		if got != symbol || rules.present[node.Slot] != rows {
			t.Errorf("a file with another %s changes Node.js: %v, %d rows", at.section, got, rules.present[node.Slot])
		}
		third := opened(t, c, copyOf(t, path))
		if third.Slot != node.Slot {
			t.Errorf("a copy does not share beside a file with another %s", at.section)
		}
		c.mu.Lock()
		c.drop(other)
		c.drop(third)
		c.unlock()
	}
	c.mu.Lock()
	c.drop(node)
	c.dropIdle(time.Now().Add(time.Hour))
	c.unlock()
	if len(c.contents) != 0 || len(rules.present) != 0 {
		t.Errorf("%d contents and %d tables stay", len(c.contents), len(rules.present))
	}
}

// What is hashed is what was parsed, although somebody writes to the file meanwhile.
func TestStableFileReadsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 3*pieceSize+7), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := newStableFile(f)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	b := make([]byte, 10)
	if n, err := s.ReadAt(b, 3*pieceSize); n != 7 || err == nil {
		t.Errorf("%d, %v at the end of the file", n, err)
	}
	if _, err := s.ReadAt(b, 5); err != nil {
		t.Fatal(err)
	}
	before := s.fingerprint()
	if want := []run{{0, 1}, {3, 1}}; !slices.Equal(before.pieces, want) {
		t.Errorf("pieces %v, want %v", before.pieces, want)
	}
	if _, err := f.WriteAt([]byte{1}, pieceSize); err != nil || !before.matches(s) {
		t.Error("a piece that was not read counts")
	}
	if _, err := f.WriteAt([]byte{1}, 3); err != nil || before.matches(s) {
		t.Error("a byte that was read does not count")
	}
	if after := s.fingerprint(); after.hash != before.hash {
		t.Error("another hash of the same file")
	}
	if before.matches(&stableFile{file: s.file, size: s.size + 1}) {
		t.Error("a file of another size matches")
	}
	if err := f.Truncate(10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadAt(b, 2*pieceSize); err == nil || s.err == nil {
		t.Error("no error for a file that has become shorter")
	}
}

// TestOriginal: of a file that is as it was when it was hashed nothing is read; of any other one all is.
func TestOriginal(t *testing.T) {
	now, changed := time.Unix(1000, 0), unix.Timespec{Sec: 998}
	was := unix.Stat_t{Dev: unix.Mkdev(254, 0), Ino: 7, Size: 4, Mtim: unix.Timespec{Sec: 5, Nsec: 6}, Ctim: changed}
	is := func(change func(*unix.Stat_t)) unix.Stat_t {
		st := was
		change(&st)
		return st
	}
	fresh := is(func(st *unix.Stat_t) { st.Ctim.Nsec++ })
	const ext4 = unix.EXT4_SUPER_MAGIC
	for _, test := range []struct {
		name        string
		fileSystem  int64
		before, now unix.Stat_t
		same        bool
	}{
		{"the same", ext4, was, was, true},
		{"the same in XFS", unix.XFS_SUPER_MAGIC, was, was, true},
		{"changed", ext4, was, is(func(st *unix.Stat_t) { st.Ctim.Nsec++ }), false},
		{"another one", ext4, was, is(func(st *unix.Stat_t) { st.Ino++ }), false},
		{"on another device", ext4, was, is(func(st *unix.Stat_t) { st.Dev++ }), false},
		{"changed just before", ext4, fresh, fresh, false},
		{"in overlayfs", unix.OVERLAYFS_SUPER_MAGIC, was, was, false},
	} {
		read := &fails{}
		fp := fingerprint{size: 4, pieces: []run{{0, 1}}, of: originalOf(&test.before, test.fileSystem, now)}
		stored := blocks.NewRecords(fp.append(nil))
		fp = *decodeFingerprint(&stored)
		file := &stableFile{file: procs.NewTimed(read), size: 4, original: originalOf(&test.now, test.fileSystem, now)}
		if got := fp.matches(file); got != test.same || read.read == test.same || stored.Left() > 0 {
			t.Errorf("%s: matches %v, was read %v", test.name, got, read.read)
		}
	}
}

// fails is a file that cannot be read, and knows whether it was tried.
type fails struct{ read bool }

func (f *fails) ReadAt([]byte, int64) (int, error) {
	f.read = true
	return 0, unix.EIO
}
