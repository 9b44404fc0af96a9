package main

import (
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"
)

// maxSource is the size of the largest source file that is read, in bytes: pprof reads them whole.
const maxSource = 64 << 20

// endless returns a file that a profile names and that would keep a reader busy, as a device or a pipe; empty if there
// is none.
func endless(p *profile.Profile) string {
	for _, f := range p.Function {
		if special(f.Filename, maxSource) {
			return f.Filename
		}
	}
	for _, m := range p.Mapping {
		if special(m.File, 1<<40) { // an executable is not read whole
			return m.File
		}
	}
	return ""
}

// special reports whether a file is there, and is neither a folder nor a regular file of at most so many bytes.
func special(name string, most int64) bool {
	info, err := os.Stat(filepath.Join("/", name))
	return err == nil && !info.IsDir() && (!info.Mode().IsRegular() || info.Size() > most)
}
