package process

import (
	"path"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
)

// ProcessContext returns the address of the process context that the process publishes; 0 if there is none.
func (ms *Mappings) ProcessContext() uint64 {
	for _, m := range ms.maps {
		if isContext(m) {
			return m.Start
		}
	}
	return 0
}

// ThreadLocals returns the mapped files that define or use published thread-local variables, and whether the C library
// is musl.
func (ms *Mappings) ThreadLocals() (files []threadlocal.Loaded, musl bool) {
	seen := map[*elffile.File]bool{}
	for _, r := range ms.regions {
		if r.File == nil || seen[r.File] || r.Kind != Native {
			continue
		}
		seen[r.File] = true
		musl = musl || strings.HasPrefix(path.Base(r.File.Path), "ld-musl-")
		if r.File.ThreadLocals != nil {
			files = append(files, threadlocal.Loaded{File: r.File.ThreadLocals, Bias: r.Bias})
		}
	}
	return files, musl
}
