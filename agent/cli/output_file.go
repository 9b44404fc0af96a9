package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/pprofx"
)

// outputFile is a file of samples that is being written.
type outputFile struct {
	*partFile
	writer pprofx.Writer
	format pprofx.Format
}

func createOutput(path string, format pprofx.Format) (*outputFile, error) {
	f, err := createPart(path)
	if err != nil {
		return nil, err
	}
	w, err := recording.NewWriter(f, format)
	if err != nil {
		f.remove()
		return nil, err
	}
	return &outputFile{f, w, format}, nil
}

// Add adds a snapshot. After an error the file is closed.
func (f *outputFile) Add(s *pprofx.Snapshot) error {
	if err := f.writer.Add(s); err != nil {
		return f.fail(err)
	}
	return nil
}

func (f *outputFile) Finish() error {
	if err := f.writer.Close(); err != nil {
		return f.fail(err)
	}
	if err := f.partFile.finish(); err != nil {
		return f.fail(err)
	}
	return nil
}

// fail says why a file could not be completed, and removes it unless it has samples: formats that have each snapshot at
// once begin with them.
func (f *outputFile) fail(err error) error {
	if info, missing := os.Stat(f.Name()); missing == nil && info.Mode().IsRegular() && info.Size() > 0 &&
		recording.Streams(f.format) {
		f.Close()
		return fmt.Errorf("write %s: %w (what was written before is in %s)", f.path, err, f.Name())
	}
	f.remove()
	return fmt.Errorf("write %s: %w", f.path, err)
}

// writeWhole writes a file that is no recording, of what f writes.
func writeWhole(path string, f func(io.Writer) error) error {
	file, err := createPart(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	if err = errors.Join(f(w), w.Flush()); err == nil {
		err = file.finish()
	}
	if err != nil {
		file.remove()
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
