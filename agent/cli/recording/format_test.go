package recording

import (
	"io"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
	"github.com/hotspan/hotspan/pprofx/viewers"
)

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]pprofx.Format{
		"cpu.pb.gz": Pprof, "/tmp/a.b/cpu-1.pb.gz": Pprof, "x.collapsed": Collapsed, "x.folded": Collapsed,
		"x.txt": Collapsed, "x.perf": PerfScript, "x.jsonl": JSONL, "x.otlp": OTLP, "x.html": page.HTML,
		"x.firefox.json.gz": viewers.Firefox,
	} {
		if got, err := FormatOf(path); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"", "cpu", "cpu.gz", "cpu.json", "jsonl"} {
		want := path + ": the extension names no format (known: .pb.gz .collapsed .folded .txt .perf .jsonl .otlp " +
			".html .speedscope.json .cpuprofile .firefox.json.gz)"
		if got, err := FormatOf(path); err == nil || err.Error() != want {
			t.Errorf("%q: %q, %v; want %s", path, got, err, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range formats {
		if got, err := ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("%s: %q, %v", f, got, err)
		}
		if w, err := NewWriter(io.Discard, f); w == nil || err != nil {
			t.Errorf("%s: no writer, %v", f, err)
		}
		if got, err := FormatOf("x" + Extension(f)); got != f || err != nil {
			t.Errorf("%s: %s is a name of %q, %v", f, Extension(f), got, err)
		}
	}
	want := `format "svg" is unknown (known: pprof collapsed perf-script jsonl otlp html speedscope cpuprofile firefox)`
	if _, err := ParseFormat("svg"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := NewWriter(io.Discard, "svg"); err == nil || err.Error() != want {
		t.Errorf("a writer: got %v, want %s", err, want)
	}
}
