package process

import (
	"errors"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/layout"
)

var errNoV8File = errors.New("the file that V8 is in cannot be opened")

// TypeNames reads the names of V8's instance types from the file that V8 is in.
func (p *Process) TypeNames() (map[int]string, error) {
	for _, m := range p.Mappings.maps {
		if !m.Exec || m.Inode == 0 || m.Path != p.Mappings.v8.Path {
			continue
		}
		f, err := procs.Open(p.PID, m)
		if errors.Is(err, procs.ErrNoPath) {
			return typeNamesInMemory(p.PID, m)
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return layout.TypeNames(procs.NewTimed(f))
	}
	return nil, errNoV8File
}

func typeNamesInMemory(pid int, m procs.Mapping) (map[int]string, error) {
	f, err := elffile.OpenMemory(pid, m)
	if err != nil {
		return nil, err
	}
	return layout.TypeNames(f)
}

// TypeNames is that of Process; the file is the one that was opened.
func (p *Core) TypeNames() (map[int]string, error) {
	f := p.files[p.Mappings.v8.Path]
	if f == nil {
		return nil, errNoV8File
	}
	return layout.TypeNames(procs.NewTimed(f))
}
