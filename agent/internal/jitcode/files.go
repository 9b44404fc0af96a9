package jitcode

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// files are those of a pid.
type files struct {
	dir    string
	pid    int
	dump   *dump    // nil: no code yet
	pieces []*piece // by index in the jitdump, from 1
}

func (f *files) path(pattern string) string {
	return filepath.Join(f.dir, fmt.Sprintf(pattern, f.pid))
}

// close ends the dump, and writes the other files.
func (f *files) close() error {
	return errors.Join(f.dump.close(), write(f.path(mapFile), f.writeMap), write(f.path(samplesFile), f.writeSamples))
}

// writeMap writes perf's map: an address, a size and a name a line. It has no times, so of pieces of code that were at
// the same place it has the last. (Linux: tools/perf/Documentation/jit-interface.txt)
func (f *files) writeMap(w *bufio.Writer) error {
	for _, c := range lastPieces(f.pieces) {
		fmt.Fprintf(w, "%x %x %s\n", c.start, c.end-c.start, jitdump.Text(c.function.Function))
	}
	return nil // w keeps the first error, for Flush
}

func (f *files) writeSamples(w *bufio.Writer) error {
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	for _, c := range f.pieces {
		if err := to.Encode(c.piece()); err != nil {
			return err
		}
	}
	return nil
}

// The names of the files, as perf has them.
const (
	dumpFile    = "jit-%d.dump"
	mapFile     = "perf-%d.map"
	samplesFile = "samples-%d.jsonl"
)

// create makes a file anew. What has its name is removed, not followed: hotspan is root, and the directory may be
// another user's.
func create(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// write makes a file of what f writes.
func write(path string, f func(w *bufio.Writer) error) error {
	file, err := create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(f(w), w.Flush(), file.Close())
}

// dump is a jitdump file that is being written.
type dump struct {
	file *os.File
	w    *bufio.Writer
	*jitdump.Writer
}

func createDump(path string, pid int) (*dump, error) {
	file, err := create(path)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(file)
	d, err := jitdump.NewWriter(w, jitdump.Header{
		Machine: jitdump.X86_64, PID: uint32(pid), Time: uint64(sampler.Now()),
	})
	return &dump{file, w, d}, err
}

func (d *dump) close() error {
	return errors.Join(d.Writer.Close(uint64(sampler.Now())), d.w.Flush(), d.file.Close())
}
