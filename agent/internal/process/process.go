// Package process inspects one Node process from outside: its mappings, the layout of its V8, and where its threads
// keep their isolates. Recording, doctor and inspect all start with Open. It reads the memory of the process and never
// stops it.
package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	memory "github.com/hotspan/hotspan/v8/target"
)

// Process is a Node process, or by OpenToSample another one. Its methods may be called from one goroutine at a time.
type Process struct {
	PID        int
	Executable string         // path as the process sees it
	Memory     io.ReaderAt    // by address
	Layout     *layout.Layout // of its V8; without V8 it knows nothing
	Bias       uint64         // address of V8's file minus its ELF virtual address
	Mappings   *Mappings
	Started    uint64 // as procs.Started says

	program string // as procs.Auxiliary says
	thread  uint64 // thread pointer of the main thread; 0: it is searched for
}

// Open reads the mappings of a process and finds V8 in them. It reads the files through the cache, which is slow for a
// file that is not cached yet; Mappings.Release gives them back. The error is ErrNotNode, ErrGone, or says why the
// process cannot be read.
func Open(pid int, files *elffile.Cache) (*Process, error) { return open(pid, files, false) }

// open is Open, and with anyway a process without V8 is no error.
func open(pid int, files *elffile.Cache, anyway bool) (*Process, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	started, err := procs.Start(pid)
	if err != nil {
		return nil, explainAccess(pid, err)
	}
	before := Process{PID: pid, Started: started}
	p, err := read(pid, started, files, anyway)
	if errors.Is(err, fs.ErrPermission) || !before.Ended() {
		return p, err
	}
	if err == nil { // there may have been no mappings any more
		p.Mappings.Release()
	}
	return nil, Gone(pid)
}

// read reads a process that started at this time.
func read(pid int, started uint64, files *elffile.Cache, anyway bool) (*Process, error) {
	living := procs.Living(pid)
	program := procs.Auxiliary(living)
	exe, err := procs.Executable(pid)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotNode // a thread of the kernel
	}
	if err != nil {
		return nil, explainAccess(pid, err)
	}
	mem := memory.Live{PID: living}
	m, err := readMappings(pid, mem, files, anyway)
	if err != nil {
		return nil, explainAccess(pid, err)
	}
	p := &Process{
		PID: pid, Executable: exe, Memory: mem, Layout: m.Layout(), Bias: m.Bias(), Mappings: m, Started: started,
		program: program,
	}
	switch {
	case p.Layout != nil:
		if err := m.denied(); err != nil {
			m.Release()
			return nil, explainAccess(pid, err)
		}
		return p, nil
	case anyway && m.unread == nil:
		p.Layout = noV8
		return p, nil
	}
	m.Release()
	if m.unread != nil {
		return nil, fmt.Errorf("process %d (%s): cannot tell whether it runs V8: %w", pid, exe, explainFile(m.unread))
	}
	return nil, fmt.Errorf("process %d (%s): %w", pid, exe, ErrNotNode)
}

// Ended reports whether the process has ended, whichever has its id now.
func (p *Process) Ended() bool {
	now, err := procs.Start(p.PID)
	return err == nil && now != p.Started || procs.Ended(p.PID)
}

// Executed reports whether the process runs another program since it was opened, or the same one again. In the middle
// of execve it does not yet: its vector is empty then, and so are its mappings.
func (p *Process) Executed() bool {
	now := procs.Auxiliary(procs.Living(p.PID))
	return strings.Trim(now, "\x00") != "" && p.program != "" && now != p.program
}

// noV8 is the layout of a process without V8.
var noV8 = new(layout.Layout)

// HasV8 reports whether there is a V8 in the process.
func (p *Process) HasV8() bool { return p.Layout != noV8 }

// OpenToSample is Open, and an error where the layout lacks what naming needs. With anyway, a process without V8 is
// none: its stacks are native.
func OpenToSample(pid int, files *elffile.Cache, anyway bool) (*Process, error) {
	p, err := open(pid, files, anyway)
	if err != nil || !p.HasV8() {
		return p, err
	}
	if err := CanSample(p.Layout); err != nil {
		p.Mappings.Release()
		return nil, fmt.Errorf("process %d (%s): %w", pid, p.Executable, err)
	}
	return p, nil
}

// InnerPID returns the id of the process in its own pid namespace.
func (p *Process) InnerPID() int { return innerPID(fmt.Sprintf("/proc/%d/status", p.PID), p.PID) }

// Heap returns a reader of the objects in the process's V8 heap.
func (p *Process) Heap() *heap.Reader { return heap.NewReader(p.Memory, p.Layout) }
