package daemon

import (
	"context"
	"errors"
	"io"
	"os"
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

// TestHangingFile: what takes no bytes for a while fails, and keeps nobody from ending; once it takes them, the file is
// written once.
func TestHangingFile(t *testing.T) {
	const samples = 5000 // more than a pipe has room for
	b, err := pprofx.NewBuilder(1_760_000_000_000_000_000, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range samples {
		b.Add(&pprofx.Sample{
			Time: 1_760_000_000_500_000_000 + int64(i), PID: 1, Stack: []*pprofx.Frame{{Function: "f"}},
		})
	}
	s := b.Cut(1_760_000_001_000_000_000)
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
	if got := <-lines; got != samples {
		t.Errorf("%d samples are written, want %d", got, samples)
	}
}
