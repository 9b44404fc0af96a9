package record

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/pprofx"
)

// fileSink writes each snapshot to a file of its own, or all of a recording to one.
type fileSink struct {
	pattern string
	format  pprofx.Format
	start   time.Time
	pid     int    // if only one process is profiled; else 0
	whole   bool   // one file for the whole recording
	tag     string // a label by which the closing lines have pprof group samples; empty for none
	noRoute bool   // no sample has a route, though some have labels and routes were read
	both    bool   // CPU time and hits are recorded: a snapshot of each has an interval, and hits come last
	source  *output.Sources

	mu      sync.Mutex // guards all fields below
	n       int        // files so far
	file    *output.File
	begins  int64 // the interval of the snapshots in it, Unix time in nanoseconds
	inFile  int64 // samples that were added to it
	written int64 // samples of files that are complete, and of those that failed what their formats have on the disk
	failed  error // of the file of the whole recording
	last    string
	moved   bool           // that is not where it should be, whose disk is full
	left    pprofx.LeftOut // of samples that are written
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

// Write adds a snapshot to the file of the recording, or writes it to one of its own.
func (s *fileSink) Write(_ context.Context, snapshot *pprofx.Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	var err error
	if !s.whole && s.file != nil && snapshot.Start != s.begins { // that of hits was lost
		err = s.finish()
	}
	err = errors.Join(err, s.add(snapshot))
	if err == nil && !s.whole && (!s.both || snapshot.Measure.OfHits()) {
		err = s.finish()
	}
	if err != nil && s.whole {
		s.failed = err
	}
	return err
}

func (s *fileSink) add(snapshot *pprofx.Snapshot) error {
	if s.file == nil {
		s.n++
		f, err := output.Create(s.path(s.n), s.format)
		if err != nil {
			return err
		}
		f.Movable = s.whole && !recording.Streams(s.format)
		s.source.Embed(f.Writer)
		s.file, s.begins, s.inFile = f, snapshot.Start, 0
	}
	err := s.file.Add(snapshot)
	if err != nil {
		s.fail()
		s.file = nil
		return err
	}
	s.inFile += snapshot.Hits()
	return nil
}

// fail counts what was added to a file that failed, if its format has it on the disk already.
func (s *fileSink) fail() {
	if recording.Streams(s.format) {
		s.written += s.inFile
	}
}

// finish completes the open file.
func (s *fileSink) finish() error {
	f := s.file
	s.file = nil
	left := f.Writer.LeftOut()
	if err := f.Finish(); err != nil {
		s.fail()
		return err
	}
	s.written += s.inFile
	s.left.Add(left)
	s.last, s.moved = f.Path, f.Moved
	return nil
}

// close completes the file of the whole recording, if there is one that did not fail.
func (s *fileSink) close() error {
	if !s.mu.TryLock() {
		return fmt.Errorf("%s: still being written", s.Name())
	}
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	return s.finish()
}
