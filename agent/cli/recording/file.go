package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/jsonl"
	"github.com/hotspan/hotspan/pprofx/pprof"
)

// recording is a file of snapshots, whatever its format. After the last, Next returns io.EOF.
type recording interface {
	Next() (*pprofx.Snapshot, error)
}

// newRecording tells the format by the first bytes: a file may have any name, such as that of an unfinished one.
func newRecording(file io.Reader) recording {
	from := bufio.NewReader(file)
	start, _ := from.Peek(len(zstdMagic)) // reading it again has the error
	switch {
	case bytes.HasPrefix(start, []byte("{")):
		return jsonl.NewReader(from)
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}), bytes.HasPrefix(start, []byte{1<<3 | 2}):
		// gzip, or the first field of a profile.proto, its sample types
		return &pprofFile{from: from}
	case len(start) == 0, bytes.HasPrefix(start, zstdMagic):
		return otlp.NewReader(from)
	}
	return foreign{}
}

// zstdMagic begins what zstd has compressed. (RFC 8878, 3.1.1)
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// foreign is a file of another format.
type foreign struct{}

// Next returns an error.
func (foreign) Next() (*pprofx.Snapshot, error) {
	return nil, errors.New("no recording: it is neither hotspan's .otlp or .jsonl, nor pprof; pages and files for " +
		"viewers cannot be read again")
}

// pprofGCPercent is how much garbage there may be, in percent of what is in use, where a pprof file is read: it is in
// memory as a whole.
const pprofGCPercent = 40

// pprofFile has one snapshot.
type pprofFile struct {
	from io.Reader
	read bool
}

// Next returns the snapshot when it is first called.
func (f *pprofFile) Next() (*pprofx.Snapshot, error) {
	if f.read {
		return nil, io.EOF
	}
	f.read = true
	debug.SetGCPercent(pprofGCPercent)
	s, err := pprof.Read(f.from)
	if err != nil {
		return nil, fmt.Errorf("pprof: %w", err)
	}
	return s, nil
}

// readRecording calls do with each snapshot of a file.
func readRecording(c terminal.Console, name string, do func(*pprofx.Snapshot) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	from, read := newRecording(f), 0
	for {
		s, err := from.Next()
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && read > 0:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s is empty", name)
		case errors.Is(err, io.ErrUnexpectedEOF) && read > 0:
			c.Logger(false).Warn("the recording is cut off: its last snapshot is missing", "file", name)
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%s is cut off, and nothing before its end is whole: was it copied while it was written?",
				name)
		case errors.Is(err, pprofx.ErrUnknownName):
			return fmt.Errorf("%s: %w: a newer version of hotspan may have written it", name, err)
		default:
			return fmt.Errorf("%s: %w", name, err)
		}
		err = do(s)
		if unfit := unfitError(""); errors.As(err, &unfit) {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err != nil {
			return err
		}
		read++
	}
}

// ShowsTimes reports whether files of a format show when a sample was taken, and cannot leave it out.
func ShowsTimes(f pprofx.Format) bool {
	return f != Pprof && f != Collapsed && f != JSONL && f != OTLP
}
