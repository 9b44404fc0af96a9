package recording

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/pprofx"
)

// folder says what of [from, to) is in no recording of a folder that can be read.
type folder struct {
	from, to int64

	read    int // or left out, as of another time
	damaged int
	why     error // of the first of these
	last    store.Entry
	missing uint64 // snapshots of a store, by their numbers: those before the first are too old
	begin   int64  // of the first time without them
	end     int64  // of the last
}

// readFolder calls do with each snapshot of the .otlp files in a folder. One that cannot be read is left out: the
// others of an agent's store may say what is asked for. Of these, files of another time are not read, but returned.
func readFolder(c terminal.Console, path string, from, to int64, do func(*pprofx.Snapshot) error) (others []string,
	err error) {
	files, err := os.ReadDir(path) // sorted
	if err != nil {
		return nil, err
	}
	in := folder{from: from, to: cmp.Or(to, math.MaxInt64)}
	for _, file := range files {
		if filepath.Ext(file.Name()) != Extension(OTLP) {
			continue
		}
		name := filepath.Join(path, file.Name())
		if e, ok := store.Parse(file); ok && !in.has(e.Start, e.End) {
			others = append(others, name)
			in.note(file, nil)
			continue
		}
		var failed error
		err := readRecording(c, name, func(s *pprofx.Snapshot) error {
			failed = do(s)
			return failed
		})
		if failed != nil {
			return nil, err
		}
		in.note(file, err)
	}
	switch {
	case in.read > 0:
		in.warn(c)
		return others, nil
	case in.why != nil:
		return nil, in.why
	}
	return nil, fmt.Errorf("%s has no .otlp files: an agent writes the first when it has samples", path)
}

// note adds a file, which was read unless there is an error.
func (f *folder) note(file fs.DirEntry, err error) {
	e, ok := store.Parse(file)
	if ok && f.last.Sequence > 0 && e.Sequence > f.last.Sequence+1 && f.has(f.last.End, e.Start) {
		f.missing += e.Sequence - f.last.Sequence - 1
		f.begin, f.end = cmp.Or(f.begin, f.last.End), e.Start
	}
	if ok {
		f.last = e
	}
	switch {
	case err == nil:
		f.read++
	case errors.Is(err, fs.ErrNotExist): // the agent has removed it meanwhile, as too old
	case !ok || f.has(e.Start, e.End):
		f.damaged++
		f.why = cmp.Or(f.why, err)
	}
}

// has reports whether any of a time is asked for. Where the clock was set back, it ends before it begins.
func (f *folder) has(start, end int64) bool {
	return max(start, end) >= f.from && min(start, end) < f.to
}

func (f *folder) warn(c terminal.Console) {
	log := c.Logger(false)
	if f.damaged > 0 {
		log.Warn("recordings are left out, which cannot be read", "files", f.damaged, "why", f.why)
	}
	if f.missing > 0 {
		log.Warn("snapshots are missing: the disk has lost them, or somebody has removed them", "number", f.missing,
			"from", utc(f.begin), "to", utc(f.end))
	}
}
