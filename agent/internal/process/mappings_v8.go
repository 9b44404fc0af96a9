package process

import (
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// ReadV8 reads at once where V8's code is, and no file: other code that is new is left for the next Update. It reports
// whether code was mapped or unmapped; tell the BPF program then.
func (ms *Mappings) ReadV8() (changed bool, err error) {
	maps, left, err := ms.readMaps()
	if err != nil {
		return false, err
	}
	known := ms.knownFiles()
	regions := ms.find(maps, func(m procs.Mapping) *elffile.File { return known[m.File()] })
	ms.left = left
	return ms.set(maps, regions), nil
}

// knownFiles are the files whose code is mapped.
func (ms *Mappings) knownFiles() map[procs.FileID]*elffile.File {
	known := map[procs.FileID]*elffile.File{}
	for _, m := range ms.maps {
		if r, ok := ms.Find(m.Start); ok && m.Exec && r.File != nil {
			known[m.File()] = r.File
		}
	}
	return known
}
