package record

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/agent/internal/deliver"
)

func TestPath(t *testing.T) {
	start := time.Date(2026, 2, 3, 23, 5, 6, 0, time.FixedZone("", -3600)) // the next day in UTC
	for pattern, want := range map[string]string{
		"a.pb.gz":            "a.pb.gz",
		"%p/%t-%n.pb.gz":     "77/20260204T000506-0012.pb.gz",
		"100%%-%%p-%%%p%":    "100%-%p-%77%",
		"%x %P %":            "%x %P %",
		"%n%n":               "00120012",
		"hotspan-%t-%n.perf": "hotspan-20260204T000506-0012.perf",
	} {
		s := &fileSink{pattern: pattern, start: start, pid: 77}
		if diff := cmp.Diff(want, s.path(12)); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
	if got := (&fileSink{pattern: "%n"}).path(123456); got != "123456" {
		t.Errorf("a large number: %s", got)
	}
}

func TestFileSink(t *testing.T) {
	dir := t.TempDir()
	s := &fileSink{pattern: filepath.Join(dir, "%n.txt"), format: recording.Collapsed}
	for range 2 {
		if err := s.Write(context.Background(), recordingtest.Snapshot(t)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"0001.txt", "0002.txt"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(b), "work 2\n") {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 || s.last != filepath.Join(dir, "0002.txt") {
		t.Errorf("%v, last %s", entries, s.last)
	}
}

func TestFileSinkFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "taken.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"taken.txt", "no/folder.txt"} {
		s := &fileSink{pattern: filepath.Join(dir, name), format: recording.Collapsed}
		err := s.Write(context.Background(), recordingtest.Snapshot(t))
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, name)) || s.last != "" {
			t.Errorf("%s: %v, last %q", name, err, s.last)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%v are left", entries)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full to stand for a full disk")
	}
	s := &fileSink{pattern: "/dev/full", format: recording.Collapsed}
	if err := s.Write(context.Background(), recordingtest.Snapshot(t)); !errors.Is(err, unix.ENOSPC) || s.last != "" {
		t.Errorf("full disk: %v, last %q", err, s.last)
	}
	if info, err := os.Lstat("/dev/full"); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Errorf("the device is %v, %v", info, err)
	}
}

// TestFilesBeside: a file has both snapshots of its interval, also where one was lost on the way.
func TestFilesBeside(t *testing.T) {
	dir := t.TempDir()
	s := &fileSink{pattern: filepath.Join(dir, "%n.pb.gz"), format: recording.Pprof, both: true}
	all := recordingtest.Besides(t)
	for _, snapshot := range slices.Delete(all, 3, 4) { // the hits of the second interval
		if err := s.Write(t.Context(), snapshot); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int64{
		"0001": {2, 20_000_000, 3}, "0002": {2, 20_000_000}, "0003": {2, 20_000_000, 3},
	} {
		f, err := os.Open(filepath.Join(dir, name+".pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		p, err := profile.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int64, len(p.SampleType))
		for _, sample := range p.Sample {
			for i, n := range sample.Value {
				got[i] += n
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("%v", entries)
	}
}

// TestSlowFiles: snapshots that came faster than files were written are in none: their samples are not written.
func TestSlowFiles(t *testing.T) {
	dir := t.TempDir()
	s := &fileSink{pattern: filepath.Join(dir, "%n.txt"), format: recording.Collapsed}
	log := slog.New(slog.DiscardHandler)
	passes := deliver.Start(nil, []deliver.Sink{s}, nil, log)
	const snapshots = 200
	s.mu.Lock() // the disk takes nothing
	for range snapshots {
		passes.Put(recordingtest.Snapshot(t))
	}
	s.mu.Unlock()
	lost, err := passes.Close()
	if err != nil || lost == 0 {
		t.Fatalf("%d snapshots are lost, %v", lost, err)
	}
	each := recordingtest.Snapshot(t).Hits()
	a := accountOf(&agent.Stats{Taken: snapshots * each, Written: snapshots * each, SnapshotsLost: lost}, s)
	entries, _ := os.ReadDir(dir)
	if want := int64(len(entries)) * each; a.Written != want || a.Lost["not written"] != lost*each {
		t.Errorf("%d samples are written and %v lost, want %d and %d", a.Written, a.Lost, want, lost*each)
	}
}
