package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// fileSink writes each snapshot to a file of its own.
type fileSink struct {
	pattern string
	format  pprofx.Format
	start   time.Time
	pid     int // if only one process is profiled; else 0
	n       int // snapshots written so far
	last    string
}

func (s *fileSink) Name() string { return "file " + s.pattern }

// numbered reports whether each snapshot has a name of its own.
func (s *fileSink) numbered() bool { return s.path(1) != s.path(2) }

// path returns the name of snapshot n: %p, %t and %n are replaced by their values; %% is a percent sign.
func (s *fileSink) path(n int) string {
	return strings.NewReplacer(
		"%%", "%",
		"%p", strconv.Itoa(s.pid),
		"%t", s.start.UTC().Format("20060102T150405"),
		"%n", fmt.Sprintf("%04d", n),
	).Replace(s.pattern)
}

// Write writes to a temporary name and renames the file, so that readers see complete files only.
func (s *fileSink) Write(_ context.Context, snapshot *pprofx.Snapshot) error {
	s.n++
	path := s.path(s.n)
	f, err := os.OpenFile(path+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	err = pprofx.Write(f, s.format, snapshot)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	s.last = path
	return nil
}

func extension(f pprofx.Format) string {
	switch f {
	case pprofx.Collapsed:
		return ".collapsed"
	case pprofx.PerfScript:
		return ".perf"
	case pprofx.JSONL:
		return ".jsonl"
	}
	return ".pb.gz"
}
