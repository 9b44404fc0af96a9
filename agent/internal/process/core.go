package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/target/core"
)

// Core is a process of which a core file tells.
type Core struct {
	*Process
	// Problems say which of the files with code are not there any more, or are others by now. Their functions have no
	// names, and memory that only they have cannot be read.
	Problems []error

	files map[string]*os.File
}

// Limits of what a core file says.
const (
	maxCoreFiles = 1 << 12
	maxVdso      = 1 << 20 // bytes
)

// OpenCore finds V8 in the process of a core. The files that were mapped are opened by their paths, on this machine;
// executable is used in place of the program's, unless it is empty. Close gives them back. The error is ErrNotNode, or
// says what is missing.
func OpenCore(c *core.Core, executable string, files *elffile.Cache) (*Core, error) {
	p := &Core{files: map[string]*os.File{}}
	root, err := procs.OpenRootDir("/")
	if err != nil {
		return nil, err
	}
	defer root.Close()
	program := c.Program()
	var noProgram error
	paths := c.Paths()
	if len(paths) > maxCoreFiles {
		return nil, fmt.Errorf("%d files were mapped, more than %d", len(paths), maxCoreFiles)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(path, " (deleted)")
		if path == program && executable != "" {
			name = executable
		}
		err := p.attach(c, root, path, name)
		if path == program {
			noProgram = err
		}
		if noProgram != nil && executable != "" {
			p.Close()
			return nil, noProgram
		}
		if err != nil && c.HasCode(path) {
			p.Problems = append(p.Problems, err)
		}
	}
	ms := &Mappings{mem: c, cache: files, files: files.Hold(), retired: files.Hold()}
	maps := p.maps(c)
	restoreText(maps)
	ms.maps, ms.regions = maps, ms.find(maps, func(m procs.Mapping) *elffile.File { return p.code(ms, m) })
	p.Process = &Process{Executable: cmp.Or(program, c.Executable), Memory: c, Layout: ms.Layout(), Bias: ms.Bias(),
		Mappings: ms, PID: c.PID}
	for _, t := range c.Threads {
		if t.TID == c.PID {
			p.thread = t.Registers.FSBase
		}
	}
	if p.Layout == nil {
		p.Close()
		return nil, p.noV8(noProgram)
	}
	return p, nil
}

// noV8 says why no V8 was found: perhaps for want of the executable, or of a library that may have it.
func (p *Core) noV8(noProgram error) error {
	const cannotTell = "cannot tell whether it is of a Node.js process: %w"
	switch {
	case noProgram != nil && !errors.Is(noProgram, core.ErrNoFirstPage):
		return fmt.Errorf(cannotTell+"\nif its executable is elsewhere: hotspan inspect CORE NODE VERB", noProgram)
	case len(p.Problems) > 0:
		return fmt.Errorf(cannotTell, p.Problems[0])
	}
	return ErrNotNode
}

// attach opens a file, and has the core use it if it is the one that was mapped.
func (p *Core) attach(c *core.Core, root *procs.RootDir, path, name string) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("%q is no file", path)
	}
	var file *os.File
	var err error
	if name == strings.TrimSuffix(path, " (deleted)") {
		file, _, err = root.Open(name)
	} else {
		file, err = os.Open(name)
	}
	if err != nil {
		return err
	}
	if err := c.Attach(path, procs.NewTimed(file)); err != nil {
		file.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	p.files[path] = file
	return nil
}

// maps are the mappings in the form of /proc/PID/maps. Files that cannot be used have no inode, so that no code is
// known there.
func (p *Core) maps(c *core.Core) (out []procs.Mapping) {
	for _, m := range c.Mappings {
		if m.Start>>47 != 0 { // the kernel's: its page for old system calls
			continue
		}
		to := procs.Mapping{Start: m.Start, End: m.End, Offset: m.Offset, Exec: m.Exec, Write: m.Write, Path: m.Path,
			Reserved: m.Reserved}
		if p.files[m.Path] != nil {
			to.Inode = 1
		}
		if m.Start != 0 && m.Start == c.Vdso() && m.End-m.Start <= maxVdso {
			to.Path = elffile.VdsoPath
		}
		out = append(out, to)
	}
	return out
}

// code returns the file of executable memory.
func (p *Core) code(ms *Mappings, m procs.Mapping) *elffile.File {
	if m.Path == elffile.VdsoPath {
		return ms.vdso(m)
	}
	f := ms.files.Opened(p.files[m.Path], m.Path)
	if f.Layout != nil && ms.v8 == nil {
		ms.v8 = f
	}
	return f
}

// Close gives the files back.
func (p *Core) Close() {
	if p.Process != nil {
		p.Mappings.Release()
	}
	for _, f := range p.files {
		f.Close()
	}
}
