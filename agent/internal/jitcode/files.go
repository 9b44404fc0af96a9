package jitcode

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// files are those of a pid.
type files struct {
	dir    string
	pid    int
	dumps  [len(dumpFiles)]*dump // nil: no such code yet
	pieces []*piece              // by index in the dumps, from 1
}

// append writes a piece into the dump for its kind of code.
func (f *files) append(kind int, code *jitdump.Code) (err error) {
	if f.dumps[kind] == nil {
		if f.dumps[kind], err = createDump(f.path(dumpFiles[kind]), f.pid); err != nil {
			return err
		}
	}
	return f.dumps[kind].Load(code)
}

func (f *files) path(pattern string) string {
	return filepath.Join(f.dir, fmt.Sprintf(pattern, f.pid))
}

// close ends the dumps, and writes the other files.
func (f *files) close() error {
	errs := []error{write(f.path(mapFile), f.writeMap), write(f.path(samplesFile), f.writeSamples)}
	for kind, d := range f.dumps {
		if d == nil { // an older one is not what the samples are of
			errs = append(errs, remove(f.path(dumpFiles[kind])))
			continue
		}
		errs = append(errs, d.close())
	}
	return errors.Join(errs...)
}

// writeMap writes perf's map of the code that is in no file: an address, a size and a name a line. It has no times, so
// of pieces that were at the same place it has the last. (Linux: tools/perf/Documentation/jit-interface.txt)
func (f *files) writeMap(w *bufio.Writer) error {
	generated := slices.DeleteFunc(slices.Clone(f.pieces), func(c *piece) bool { return c.dump != generatedCode })
	for _, c := range lastPieces(generated) {
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

// The dumps of a process. perf takes all in a jitdump to be in memory of the process that no file has, so code of files
// has a dump of its own.
const (
	generatedCode = iota
	nativeCode
)

var dumpFiles = [...]string{generatedCode: "jit-%d.dump", nativeCode: "native-%d.dump"}

// The names of the other files: of the map as perf has it.
const (
	mapFile     = "perf-%d.map"
	samplesFile = "samples-%d.jsonl"
)

// create makes a file anew. What has its name is removed, not followed: hotspan is root, and the directory may be
// another user's.
func create(path string) (*os.File, error) {
	if err := remove(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// remove removes a file, if it is there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
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
