package elffile

import (
	"debug/elf"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// preloadedFor is how long a file that is read ahead waits for a process.
const preloadedFor = time.Minute

// Preload reads executables that are about to run, and the libraries that they will load. log receives which cannot be.
func (c *Cache) Preload(paths []string, log *slog.Logger) {
	for _, path := range paths {
		if err := c.preload(path); err != nil {
			log.Debug("not read ahead", "file", path, "why", err)
		}
	}
}

func (c *Cache) preload(path string) error {
	h := c.Hold()
	defer func() { time.AfterFunc(preloadedFor, h.Release) }()
	if err := h.preload(path); err != nil {
		return err
	}
	ef, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer ef.Close()
	names, _ := ef.ImportedLibraries() // none if it is static
	for _, name := range append(names, loader) {
		for _, dir := range libraryDirs {
			if h.preload(filepath.Join(dir, name)) == nil {
				break
			}
		}
	}
	return nil
}

// libraryDirs are the directories in which distributions keep their libraries and the dynamic linker. This is a guess:
// a library elsewhere is read when it is mapped.
var libraryDirs = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
}

const loader = "ld-linux-x86-64.so.2"

func (h *Hold) preload(path string) error {
	m, err := procs.Identify(path)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	h.keep(h.cache.open(key{FileID: m.File()}, file, path, "/"))
	return nil
}
