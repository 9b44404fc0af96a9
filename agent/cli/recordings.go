package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// filterFlags choose samples of recordings.
type filterFlags struct {
	Service string        `help:"Only samples of this service." placeholder:"NAME"`
	Route   string        `help:"Only samples of this route." placeholder:"ROUTE"`
	Trace   string        `help:"Only samples of this trace." placeholder:"ID"`
	Since   time.Duration `help:"Only samples that are no older, such as 1h." placeholder:"TIME"`
	Until   time.Duration `help:"Only samples that are at least as old." placeholder:"TIME"`
}

// apply returns the samples of a snapshot that are chosen; nil if the whole of it is too old or too new.
func (f *filterFlags) apply(s *pprofx.Snapshot, now time.Time) *pprofx.Snapshot {
	if *f == (filterFlags{}) {
		return s
	}
	from, to := int64(0), now.Add(-f.Until).UnixNano()
	if f.Since > 0 {
		from = now.Add(-f.Since).UnixNano()
	}
	if s.End < from || s.Start > to {
		return nil
	}
	chosen := make([]bool, len(s.LabelSets))
	for i, labels := range s.LabelSets {
		chosen[i] = has(labels, "http.route", f.Route) && has(labels, "trace_id", f.Trace)
	}
	return s.Where(func(r *pprofx.Row) bool {
		return chosen[r.Labels] && r.Time >= from && r.Time <= to &&
			(f.Service == "" || s.Processes[int(r.PID)].Service == f.Service)
	})
}

// has reports whether labels have a value; an empty one stands for any.
func has(labels []pprofx.Label, key, value string) bool {
	for _, l := range labels {
		if l.Key == key && l.Str == value {
			return true
		}
	}
	return value == ""
}

// eachSnapshot calls do with the chosen part of each snapshot of recordings. A folder stands for the .otlp files in it.
// Of a recording that is cut off, it reads what is whole.
func (f *filterFlags) eachSnapshot(c console, paths []string, do func(*pprofx.Snapshot) error) error {
	now := time.Now()
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			files, _ = filepath.Glob(filepath.Join(path, "*"+extension(formatOTLP))) // sorted; the pattern is right
			if len(files) == 0 {
				return fmt.Errorf("%s has no .otlp files", path)
			}
		}
		for _, file := range files {
			err := readRecording(c, file, func(s *pprofx.Snapshot) error {
				if s = f.apply(s, now); s == nil {
					return nil
				}
				return do(s)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func readRecording(c console, name string, do func(*pprofx.Snapshot) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	from, read := otlp.NewReader(f), 0
	for {
		s, err := from.Next()
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && read > 0:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s is empty", name)
		case errors.Is(err, io.ErrUnexpectedEOF) && read > 0:
			c.logger(false).Warn("the recording is cut off: its last snapshot is missing", "file", name)
			return nil
		default:
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := do(s); err != nil {
			return err
		}
		read++
	}
}
