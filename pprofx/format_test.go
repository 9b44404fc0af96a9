package pprofx

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{
		"cpu.pb.gz": Pprof, "/tmp/a.b/cpu-1.pb.gz": Pprof, "x.collapsed": Collapsed, "x.folded": Collapsed,
		"x.txt": Collapsed, "x.perf": PerfScript, "x.jsonl": JSONL,
	} {
		if got, err := FormatOf(path); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"", "cpu", "cpu.gz", "cpu.json", "jsonl"} {
		got, err := FormatOf(path)
		if err == nil || !strings.Contains(err.Error(), ".pb.gz .collapsed .folded .txt .perf .jsonl") {
			t.Errorf("%q: %q, %v; want an error that lists the extensions", path, got, err)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range Formats {
		if got, err := ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("%s: %q, %v", f, got, err)
		}
	}
	want := `format "svg" is unknown (known: pprof collapsed perf-script jsonl)`
	if _, err := ParseFormat("svg"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := Write(io.Discard, "svg", exampleSnapshot()); err == nil || err.Error() != want {
		t.Errorf("write: got %v, want %s", err, want)
	}
}

var errDisk = errors.New("no space left on device")

// fullDisk takes n bytes, then no more.
type fullDisk struct{ n int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.n -= len(p); d.n < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestWriteReportsAFullDisk(t *testing.T) {
	for _, f := range Formats {
		for _, room := range []int{0, 100} {
			if err := Write(&fullDisk{room}, f, exampleSnapshot()); !errors.Is(err, errDisk) {
				t.Errorf("%s with room for %d bytes: %v, want %v", f, room, err, errDisk)
			}
		}
	}
}
