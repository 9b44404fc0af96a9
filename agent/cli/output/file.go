// Package output writes files: of samples in any format, whole or not at all, with the lines of source files on pages.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/pprofx"
)

// File is a file of samples that is being written.
type File struct {
	*partFile
	Writer pprofx.Writer // of its format
	format pprofx.Format
}

// The modes of files, less the umask: those that somebody asks for, and those that an agent writes all day of
// everybody's processes.
const (
	shown  fs.FileMode = 0o644
	Shared fs.FileMode = 0o640 // with the group of the directory, if that is set-group-ID
)

// Create begins a file of samples. What is at its path stays until Finish.
func Create(path string, format pprofx.Format) (*File, error) { return CreateMode(path, format, shown) }

// CreateMode is Create, of a file of another mode.
func CreateMode(path string, format pprofx.Format, mode fs.FileMode) (*File, error) {
	f, err := createPart(path, mode)
	if err != nil {
		return nil, err
	}
	w, err := recording.NewWriter(f, format)
	if err != nil {
		f.Remove()
		return nil, err
	}
	return &File{f, w, format}, nil
}

// Add adds a snapshot. After an error the file is closed.
func (f *File) Add(s *pprofx.Snapshot) error {
	if err := f.Writer.Add(s); err != nil {
		return f.fail(err)
	}
	return nil
}

// Finish completes the file, and gives it its name.
func (f *File) Finish() error {
	if err := f.Writer.Close(); err != nil {
		return f.fail(err)
	}
	if err := f.partFile.finish(); err != nil {
		return f.fail(err)
	}
	return nil
}

// fail says why a file could not be completed, and removes it unless it has samples: formats that have each snapshot at
// once begin with them.
func (f *File) fail(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok { // with the part's name, and maybe twice
		err = &fs.PathError{Op: "write", Path: f.Path, Err: of.Err}
	} else {
		err = fmt.Errorf("write %s: %w", f.Path, err)
	}
	if info, missing := os.Stat(f.Name()); missing == nil && info.Mode().IsRegular() && info.Size() > 0 &&
		recording.Streams(f.format) {
		f.Close()
		return fmt.Errorf("%w (what was written before is in %s)", err, f.Name())
	}
	f.Remove()
	return err
}

// WriteWhole writes a file that is no recording, of what f writes.
func WriteWhole(path string, f func(io.Writer) error) error {
	file, err := createPart(path, shown)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	if err = errors.Join(f(w), w.Flush()); err == nil {
		err = file.finish()
	}
	if err != nil {
		file.Remove()
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
