package recording_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// kept is a store of five snapshots of a second, with ten samples each, the last of which has just ended. It returns
// the names of their files.
func kept(t *testing.T, dir string) (files []string) {
	t.Helper()
	s, err := store.Open(dir, store.Limits{Bytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begin := time.Now().Add(-5 * time.Second).UnixNano()
	b, err := pprofx.NewBuilder(begin, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(5) {
		for j := range int64(10) {
			b.Add(&pprofx.Sample{Time: begin + i*1e9 + j, PID: 1, TID: 1, Stop: pprofx.StopRoot,
				Stack:  []*pprofx.Frame{{Function: "f"}},
				Labels: []pprofx.Label{{Key: "trace_id", Str: "00000000000000000000000000000001"}}})
		}
		cut := b.Cut(begin + (i+1)*1e9)
		frame, err := otlp.Compress(cut, otlp.Agent{})
		if err == nil {
			_, err = s.Append(frame, cut.Start, cut.End)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	files, _ = filepath.Glob(filepath.Join(dir, "*.otlp"))
	return files
}

// What is damaged or missing in a store keeps nobody from the rest. It is said, once, unless it is of another time than
// what is asked for.
func TestFolderInPart(t *testing.T) {
	for name, test := range map[string]struct {
		does func(file string) error
		says string
	}{
		"cut off": {func(file string) error { return os.Truncate(file, 40) }, "files 1: FILE is cut off, and nothing"},
		"empty":   {func(file string) error { return os.Truncate(file, 0) }, "files 1: FILE is empty"},
		"damaged": {func(file string) error {
			text, err := os.ReadFile(file)
			if err == nil {
				text[len(text)-1]++
				err = os.WriteFile(file, text, 0o600)
			}
			return err
		}, "files 1: FILE: snapshot 1: it is damaged: CRC"},
		"removed": {os.Remove,
			"snapshots are missing: the disk has lost them, or somebody has removed them, number 1, from 20"},
	} {
		dir := t.TempDir()
		file := kept(t, dir)[1]
		if err := test.does(file); err != nil {
			t.Fatal(err)
		}
		for args, want := range map[string]struct {
			out   string
			times int
		}{
			"report":             {"400 ms of CPU in 40 samples, of 5s ", 1},
			"query --store":      {"none lost, no snapshot of 1s of that time", 1},
			"report --since 1h":  {"400 ms of CPU in 40 samples, of 5s ", 1},
			"report --until 1ns": {"400 ms of CPU in 40 samples, of 5s ", 1},
			"report --since 1ns": {"0 ms of CPU in 0 samples", 0},
			"trace 00":           {"40 samples", 1},
		} {
			var out, said bytes.Buffer
			code := cli.Main(append(strings.Fields(args), dir), &out, &said)
			says := strings.ReplaceAll(test.says, "FILE", file)
			if code != 0 || !strings.Contains(out.String(), want.out) ||
				strings.Count(said.String(), says) != want.times {
				t.Errorf("%s, %s: code %d, %s%s, want %+v of %q", name, args, code, &out, &said, want, says)
			}
		}
	}
}

// TestFolderByTime: of a store only the files are read that have the time that is asked for, by their names. What there
// is else is said if nothing is chosen.
func TestFolderByTime(t *testing.T) {
	dir := t.TempDir()
	const began = 1_000_000_000_000_000_000 // long ago
	old := fmt.Sprintf("%012d-%d-%d.otlp", 1, began, began+1)
	if err := os.Rename(kept(t, dir)[0], filepath.Join(dir, old)); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"report":                           "500 ms of CPU in 50 samples",
		"report --since 1h":                "400 ms of CPU in 40 samples",
		"report --since 1h --route /other": "no sample is chosen, of 50",
	} {
		var said bytes.Buffer
		code := cli.Main(append(strings.Fields(args), dir), &said, &said)
		if code != 0 || !strings.Contains(said.String(), want) {
			t.Errorf("%s: code %d, %s, want %s", args, code, &said, want)
		}
	}
}

// A folder without any recording that can be read is an error, which says why.
func TestFolderUnread(t *testing.T) {
	dir := t.TempDir()
	for _, file := range kept(t, dir) {
		if err := os.Truncate(file, 0); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	if code := cli.Main([]string{"report", dir}, &said, &said); code != exit.Failed ||
		!strings.Contains(said.String(), "is empty") {
		t.Errorf("code %d, %s", code, &said)
	}
}
