package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/viewers"
)

// TestOneFileForARecording writes several snapshots. The file has the samples of all of them, and its name at the end.
func TestOneFileForARecording(t *testing.T) {
	for format, samples := range map[pprofx.Format]func(*testing.T, []byte) int{
		recording.Pprof: func(t *testing.T, b []byte) int {
			p, err := profile.ParseData(b)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Sample) != 1 {
				t.Errorf("%d samples, want one of %d", len(p.Sample), 6)
			}
			return int(p.Sample[0].Value[0])
		},
		recording.Collapsed:  func(_ *testing.T, b []byte) int { return 6 * strings.Count(string(b), "work 6\n") },
		recording.JSONL:      func(_ *testing.T, b []byte) int { return bytes.Count(b, []byte("\n")) },
		recording.PerfScript: func(_ *testing.T, b []byte) int { return bytes.Count(b, []byte("cpu-clock")) },
		recording.OTLP: func(_ *testing.T, b []byte) (rows int) {
			r := otlp.NewReader(bytes.NewReader(b))
			for s, err := r.Next(); err == nil; s, err = r.Next() {
				rows += len(s.Rows)
			}
			return rows
		},
		viewers.Speedscope: func(_ *testing.T, b []byte) int { return bytes.Count(b, []byte("[4]")) },
		viewers.Firefox: func(t *testing.T, b []byte) int {
			unpacked, err := gzip.NewReader(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(unpacked)
			if err != nil || !strings.Contains(string(text), `"weight":[1,1,1,1,1,1,0]`) {
				t.Errorf("%v: %s", err, text)
			}
			return 6
		},
		viewers.CPUProfile: func(_ *testing.T, b []byte) int {
			var file struct{ Hotspan struct{ Samples int } }
			if err := json.Unmarshal(b, &file); err != nil {
				t.Error(err)
			}
			return file.Hotspan.Samples
		},
	} {
		path := filepath.Join(t.TempDir(), "x")
		s := &fileSink{pattern: path, format: format, whole: true}
		for i := range 3 {
			if err := s.Write(context.Background(), recordingtest.Snapshot(t)); err != nil {
				t.Fatal(err)
			}
			part, err := os.ReadFile(s.file.Name())
			streamed := format == recording.JSONL || format == recording.PerfScript || format == recording.OTLP
			if err != nil || streamed && samples(t, part) != 2*(i+1) || !streamed && len(part) > 0 {
				t.Errorf("%s: %d bytes after %d snapshots, %v", format, len(part), i+1, err)
			}
		}
		if err := s.close(); err != nil || s.last != path {
			t.Errorf("%s: %v, last %q", format, err, s.last)
		}
		b, err := os.ReadFile(path)
		if err != nil || samples(t, b) != 6 {
			t.Errorf("%s: %v, %q", format, err, b)
		}
		if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
			t.Errorf("%s: %v", format, entries)
		}
		if err := s.close(); err != nil {
			t.Errorf("%s: closed again: %v", format, err)
		}
	}
}

// TestRecordingThatFails: after an error no later snapshot makes a file that lacks the earlier ones. Lines that were
// written before are kept. What is in no file is counted.
func TestRecordingThatFails(t *testing.T) {
	for format, left := range map[pprofx.Format][]string{
		recording.Pprof: nil, recording.Collapsed: nil, recording.JSONL: {partName}, recording.PerfScript: {partName},
		recording.OTLP: {partName}, viewers.Speedscope: nil, viewers.CPUProfile: nil, viewers.Firefox: nil,
	} {
		dir := t.TempDir()
		s := &fileSink{pattern: filepath.Join(dir, "x"), format: format, whole: true}
		if err := s.Write(context.Background(), recordingtest.Snapshot(t)); err != nil {
			t.Fatal(err)
		}
		s.file.Close()
		first, took := s.Write(context.Background(), recordingtest.Snapshot(t)), int64(4)
		if len(left) > 0 {
			again := s.Write(context.Background(), recordingtest.Snapshot(t))
			if first == nil || again == nil || !strings.Contains(first.Error(), partName+")") {
				t.Errorf("%s: %v, then %v", format, first, again)
			}
		}
		if err := s.close(); (err == nil) != (first != nil) || s.last != "" {
			t.Errorf("%s: close: %v after %v, last %q", format, err, first, s.last)
		}
		want := int64(0)
		if len(left) > 0 {
			took, want = 6, 2
		}
		if lost := s.unwritten(&agent.Stats{Written: took}); s.written != want || lost != 4 {
			t.Errorf("%s: %d samples are written, want %d, and %d are not", format, s.written, want, lost)
		}
		var names []string
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if diff := cmp.Diff(left, names); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
}

// partName is how the file x is called until it is complete.
var partName = fmt.Sprintf("x.%d.part", os.Getpid())

// TestFullDisk: what a full disk has taken of the only snapshot is kept, if the format has samples from the beginning.
// Else the whole file is in the directory for temporary files.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	for format, kept := range map[pprofx.Format]bool{
		recording.JSONL: true, recording.PerfScript: true, recording.Pprof: false,
	} {
		dir, other := t.TempDir(), t.TempDir()
		t.Setenv("TMPDIR", other)
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4k"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
		s := &fileSink{pattern: filepath.Join(dir, "x"), format: format, whole: true}
		err := errors.Join(s.Write(context.Background(), longSnapshot(t)), s.close())
		if !kept {
			f, _ := os.Open(s.last)
			p, failed := profile.Parse(f)
			if err != nil || failed != nil || filepath.Dir(s.last) != other || !s.moved || s.written != longSamples ||
				len(p.Sample) != longSamples {
				t.Errorf("%s: %v, %s, %v, %d samples are written", format, err, s.last, failed, s.written)
			}
			if info, err := f.Stat(); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v, where anybody may read it: %v", s.last, info, err)
			}
		} else if !errors.Is(err, unix.ENOSPC) || s.written != 0 ||
			!strings.Contains(err.Error(), partName+")") {
			t.Errorf("%s: %v, %d samples are written", format, err, s.written)
		}
		if info, err := os.Stat(filepath.Join(dir, partName)); (err == nil) != kept || kept && info.Size() == 0 {
			t.Errorf("%s: %v, %v", format, info, err)
		}
	}
}

const longSamples = 1000

// longSnapshot has samples of as many functions, whose names are random.
func longSnapshot(t *testing.T) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(0, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(longSamples) {
		b.Add(&pprofx.Sample{Time: 5 + i, PID: 1, TID: 1, Stop: pprofx.StopRoot,
			Stack: []*pprofx.Frame{{Function: fmt.Sprint(rand.Uint64())}}})
	}
	return b.Cut(10000)
}

func TestRecordingWithoutSnapshots(t *testing.T) {
	dir := t.TempDir()
	s := &fileSink{pattern: filepath.Join(dir, "x"), format: recording.Pprof, whole: true}
	if err := s.close(); err != nil || s.last != "" {
		t.Error(err, s.last)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Error(entries)
	}
}
