package jitcode

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// files are those of a pid.
type files struct {
	r      *Recorder
	pid    int
	dump   *dump    // nil: no code yet
	pieces []*piece // by index in the jitdump, from 1
}

func (f *files) path(pattern string) string {
	return filepath.Join(f.r.dir, fmt.Sprintf(pattern, f.pid))
}

func (f *files) close() error { return errors.Join(f.dump.close(), f.writeMap(), f.writeSamples()) }

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
