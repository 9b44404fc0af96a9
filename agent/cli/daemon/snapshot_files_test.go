package daemon

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/pprofx"
)

// TestFileName: two values never have one name, also where one is chosen to be called like the other: a name of its own
// has no hyphen. The hashes are those of sha256sum.
func TestFileName(t *testing.T) {
	const slashes = "732c4e9711639ed1436dd90d3951ca34"
	seen := map[string]string{}
	for value, want := range map[string]string{
		"": "none", pprofx.OtherValue: "other", "none": "none-140bedbf9c3f6d56a9846d2ba7088798",
		"v1.2": "v1.2", "///": "value-" + slashes, "732c4e97": "732c4e97",
		slashes: slashes,
	} {
		got := fileName(value)
		if got != want {
			t.Errorf("%q is called %s, want %s", value, got, want)
		}
		if seen[got] != "" {
			t.Errorf("%q and %q are called %s", value, seen[got], got)
		}
		seen[got] = value
	}
	long := strings.Repeat("a", 200)
	if a, b := fileName(long+"/b"), fileName(long+"/c"); a == b || len(a) > 100 {
		t.Errorf("%s and %s", a, b)
	}
}

// manySamples returns a snapshot that is more than a pipe has room for.
func manySamples(t *testing.T) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(1_760_000_000_000_000_000, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		b.Add(&pprofx.Sample{
			Time: 1_760_000_000_500_000_000 + int64(i), PID: 1, Stack: []*pprofx.Frame{{Function: "f"}},
		})
	}
	return b.Cut(1_760_000_001_000_000_000)
}

// TestHangingFile: what takes no bytes for a while fails, and keeps nobody from ending; once it takes them, the file is
// written once.
func TestHangingFile(t *testing.T) {
	s := manySamples(t)
	dir := t.TempDir()
	pipe := dir + "/20251009T085320.000000.jsonl"
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	files := &snapshotFiles{path: dir + "/%t.jsonl", timeout: 100 * time.Millisecond}
	for range 2 {
		if err := files.Write(t.Context(), s); err == nil || !strings.Contains(err.Error(), "not answered for 100ms") {
			t.Errorf("a disk that hangs: %v", err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	files.timeout = time.Minute
	if err := files.Write(ended, s); !errors.Is(err, context.Canceled) {
		t.Errorf("at the end: %v", err)
	}
	lines := make(chan int)
	go func() {
		all, err := io.ReadAll(reader)
		if err != nil {
			t.Error(err)
		}
		lines <- strings.Count(string(all), `"f":"f"`)
	}()
	if err := files.Write(t.Context(), s); err != nil {
		t.Error(err)
	}
	if got := <-lines; got != len(s.Rows) {
		t.Errorf("%d samples are written, want %d", got, len(s.Rows))
	}
}

// TestLeftParts: files that an agent was writing when it was killed go with the first snapshot of the next one. Those
// that are being written stay, and what is not its own.
func TestLeftParts(t *testing.T) {
	dir := t.TempDir() + "/[a*b]"
	const at = "20251009T085320.000000"
	stay := []string{
		"a/cpu-" + at + ".jsonl", "a/cpu-" + at + ".jsonl.9.part", "a/cpu-" + at + ".jsonl.part",
		"a/cpu-x.jsonl.1.part",
		"a/b/cpu-" + at + ".jsonl.1.part", "a/other-" + at + ".jsonl.1.part",
	}
	for _, name := range append([]string{
		"a/cpu-" + at + ".jsonl.1.part", "search-0a1b/cpu-" + at + ".jsonl.77-2.part",
	}, stay...) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	busy, err := os.Open(filepath.Join(dir, stay[1]))
	if err == nil {
		err = unix.Flock(int(busy.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	b, err := pprofx.NewBuilder(1_760_000_000_000_000_000, 10)
	if err != nil {
		t.Fatal(err)
	}
	files := &snapshotFiles{path: dir + "/%v/cpu-%t.jsonl", per: "http.route"}
	if err := files.write(b.Cut(1_760_000_001_000_000_000)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, depth := range []string{"/*/*", "/*/*/*"} {
		names, _ := filepath.Glob(strings.NewReplacer("[", "\\[", "*", "\\*").Replace(dir) + depth)
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				got = append(got, strings.TrimPrefix(name, dir+"/"))
			}
		}
	}
	want := append([]string{"none/cpu-" + at + ".jsonl"}, stay...)
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("there are %q, want %q", got, want)
	}
}

// TestFullFile: of a snapshot for which a disk has no room, nothing is left there: it comes again.
func TestFullFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	files := &snapshotFiles{path: dir + "/%t.jsonl"}
	if err := files.write(manySamples(t)); !errors.Is(err, unix.ENOSPC) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
}
