package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hotspan/hotspan/pprofx"
)

// outputFile is a file that is being written under a temporary name. It gets its own name when it is complete, so that
// readers see complete files only.
type outputFile struct {
	path   string
	file   *os.File
	writer pprofx.Writer
	format pprofx.Format
}

func createOutput(path string, format pprofx.Format) (*outputFile, error) {
	f, err := os.OpenFile(path+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	w, err := newWriter(f, format)
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return &outputFile{path: path, file: f, writer: w, format: format}, nil
}

// add adds a snapshot. After an error the file is closed.
func (f *outputFile) add(s *pprofx.Snapshot) error {
	if err := f.writer.Add(s); err != nil {
		return f.fail(errors.Join(err, f.file.Close()))
	}
	return nil
}

func (f *outputFile) finish() error {
	err := errors.Join(f.writer.Close(), f.file.Close())
	if err == nil {
		err = os.Rename(f.file.Name(), f.path)
	}
	if err != nil {
		return f.fail(err)
	}
	return nil
}

// discard removes a file that is not wanted any more, if it is still there.
func (f *outputFile) discard() {
	f.file.Close()
	os.Remove(f.file.Name())
}

// fail says why a file could not be completed, and removes it unless it has samples: formats that have each snapshot at
// once begin with them.
func (f *outputFile) fail(err error) error {
	if info, missing := os.Stat(f.file.Name()); missing == nil && info.Size() > 0 && streams(f.format) {
		return fmt.Errorf("write %s: %w (what was written before is in %s)", f.path, err, f.file.Name())
	}
	os.Remove(f.file.Name())
	return fmt.Errorf("write %s: %w", f.path, err)
}

// writeWhole writes a file that is no recording, of what f writes. It has its name when it is complete.
func writeWhole(path string, f func(io.Writer) error) error {
	file, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	if err = errors.Join(f(w), w.Flush(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// writable reports why files cannot be made in a directory; nil if they can.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".hotspan-*")
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
