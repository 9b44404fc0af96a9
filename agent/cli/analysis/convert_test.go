package analysis_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx/jsonl"
)

// A recording has the samples that the same snapshots have where they are written at once.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "in.otlp")
	var in, want bytes.Buffer
	w := otlp.NewWriter(&in, recording.ThisBuild())
	lines := jsonl.NewWriter(&want)
	for range 3 {
		s := recordingtest.Snapshot(t)
		if w.Add(s) != nil || lines.Add(s) != nil {
			t.Fatal("not written")
		}
	}
	whole := in.Len()
	if err := w.Add(recordingtest.Snapshot(t)); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		size int
		says string
	}{
		"all":     {whole, "6 samples; 0 were lost"},
		"cut off": {whole + 20, "warn: the recording is cut off"},
	} {
		if err := os.WriteFile(file, in.Bytes()[:test.size], 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out.jsonl")
		var stderr bytes.Buffer
		code := cli.Main([]string{"convert", file, out}, &stderr, &stderr)
		if code != 0 || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%s: code %d, %s", name, code, &stderr)
		}
		got, err := os.ReadFile(out)
		if err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %v, %s, want %s", name, err, got, &want)
		}
	}
}

func TestConvertErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.otlp")
	if err := os.WriteFile(text, []byte("not a recording at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		in, out, says string
		code          int
	}{
		{text, dir + "/x.foo", "the extension names no format", exit.WrongUsage},
		{text, dir + "/x.jsonl", "text.otlp: no recording: ", exit.Failed},
		{dir + "/none", dir + "/x.jsonl", "no such file", exit.Failed},
	} {
		var stderr bytes.Buffer
		code := cli.Main([]string{"convert", test.in, test.out}, &stderr, &stderr)
		if code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("code %d: %s, want %d: %s", code, &stderr, test.code, test.says)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left over: %v", entries)
	}
}
