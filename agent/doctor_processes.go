package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/binary"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	memory "github.com/hotspan/hotspan/v8/target"
	"github.com/hotspan/hotspan/v8/verify"
)

// SelfCheck is what came of comparing a layout with the main thread's isolate while the process runs.
type SelfCheck struct {
	verify.Result
	None string // why nothing was compared
}

// NodeProcess is what is known of one Node.js process.
type NodeProcess struct {
	PID         int
	CommandLine []string
	Executable  string
	Denied      error  // why it may not be looked at; then nothing below is known
	Node, V8    string // versions; Node is empty where the executable does not say
	Layout      LayoutSources
	Cannot      error // why it cannot be sampled, or nil
	Check       SelfCheck
	Frame       ContextFrame
	Detail      *Detail // nil unless asked for
}

// LayoutSources says where the fields of a layout come from.
type LayoutSources struct {
	Code, Constants, Rules int            // fields by machine code, by exported constants, by rules for a version of V8
	Gaps                   int            // what nothing tells: fields, tables
	Assumed                []layout.Field // by rule, and not compared with the process
}

// Known is the number of fields that have a value.
func (s *LayoutSources) Known() int { return s.Code + s.Constants + s.Rules }

// survey looks at processes, and reads each executable once.
type survey struct {
	files   *binary.Cache
	layouts map[procs.FileID]answer
}

func newSurvey() *survey {
	return &survey{files: binary.NewCache(nil), layouts: map[procs.FileID]answer{}}
}

// answer is what layout.Read says of a file; l is nil where there is no V8 in it.
type answer struct {
	l   *layout.Layout
	err error
}

// all finds the Node.js processes.
func (s *survey) all(d *Diagnosis) error {
	pids, err := procs.All()
	if err != nil {
		return err
	}
	slices.Sort(pids)
	for _, pid := range pids {
		p, err := s.look(pid)
		switch {
		case err == nil:
			p.finish(pid)
			d.Processes = append(d.Processes, p.NodeProcess)
		case errors.Is(err, fs.ErrPermission):
			d.hidden(pid)
		}
	}
	return nil
}

// hidden keeps a process that may not be looked at where its name is Node's, and counts it where it is not. Threads of
// the kernel have no command line.
func (d *Diagnosis) hidden(pid int) {
	args := commandLine(pid)
	switch {
	case len(args) == 0:
	case namedNode(args[0]):
		d.Processes = append(d.Processes, NodeProcess{PID: pid, CommandLine: args, Denied: denial()})
	default:
		d.Hidden++
	}
}

func namedNode(arg string) bool {
	name := filepath.Base(arg)
	return name == "node" || name == "nodejs"
}

// one looks at one process closely.
func (s *survey) one(pid int) (*NodeProcess, error) {
	if pid < 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	p, err := s.look(pid)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &NodeProcess{PID: pid, CommandLine: commandLine(pid), Denied: denial()}, nil
	case errors.Is(err, ErrNotNode):
		return nil, fmt.Errorf("process %d%s: %w", pid, inParentheses(commandLine(pid)), err)
	case err != nil:
		return nil, explainAccess(pid, err)
	}
	p.finish(pid)
	p.Detail = p.detail()
	return &p.NodeProcess, nil
}

func inParentheses(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return " (" + args[0] + ")"
}

// looked is a process that is being looked at.
type looked struct {
	NodeProcess
	l    *layout.Layout
	mem  io.ReaderAt
	maps []procs.Mapping
	r    *heap.Reader
	bias uint64 // address of V8's file, less its ELF virtual address
	at   uint64 // the main thread's isolate; 0 = not found
}

// look reads what is mapped and finds V8 there. The error is ErrNotNode, or says that the process is gone or not to be
// looked at.
func (s *survey) look(pid int) (*looked, error) {
	exe, err := procs.Executable(pid)
	if err != nil {
		return nil, denied(pid, err)
	}
	maps, err := procs.Maps(pid)
	if err != nil {
		return nil, denied(pid, err)
	}
	for _, m := range maps {
		if has, err := s.files.HasV8(pid, m); !has && err == nil {
			continue
		}
		l, err := s.layout(pid, m)
		if err != nil {
			return nil, fmt.Errorf("process %d: %s: %w", pid, m.Path, err)
		}
		if l != nil {
			p := &looked{l: l, maps: maps, mem: memory.Live{PID: pid}, bias: m.Start - l.Text.Address(m.Offset)}
			p.PID, p.Executable, p.CommandLine = pid, exe, commandLine(pid)
			return p, nil
		}
	}
	return nil, ErrNotNode
}

// denied makes what the kernel says of its own threads and of zombies, which have no executable, an ErrNotNode.
func denied(pid int, err error) error {
	if _, gone := os.Stat(fmt.Sprintf("/proc/%d", pid)); gone == nil && !errors.Is(err, fs.ErrPermission) {
		return ErrNotNode
	}
	return err
}

// layout reads the V8 in a file. The error says why one that is there cannot be read.
func (s *survey) layout(pid int, m procs.Mapping) (*layout.Layout, error) {
	if known, ok := s.layouts[m.File()]; ok {
		return known.l, known.err
	}
	var l *layout.Layout
	f, err := procs.Open(pid, m)
	if err == nil {
		l, err = layout.Read(f)
		f.Close()
	}
	if errors.Is(err, layout.ErrNotV8) {
		err = nil
	}
	s.layouts[m.File()] = answer{l, err}
	return l, err
}

func commandLine(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return words(b)
}

// finish compares the layout with the process and tells where it comes from.
func (p *looked) finish(pid int) {
	p.Node, p.V8 = p.l.Node, p.l.V8.String()
	p.Cannot = lacks(p.l)
	p.r = heap.NewReader(p.mem, p.l)
	environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	p.Frame = contextFrame(p.Node, p.CommandLine, variable(words(environment), "NODE_OPTIONS"))
	if err := p.findIsolate(); err != nil {
		p.Check.None = err.Error()
	} else {
		p.Check.Result = verify.Isolate(p.r, p.at, p.watchFrame(), asyncHooks)
	}
	p.Layout = sources(p.l, p.Check.Fields)
}

// findIsolate finds the isolate of the main thread.
func (p *looked) findIsolate() error {
	offset, err := isolateOffset(p.PID, p.mem, p.l, p.bias)
	if err != nil {
		return err
	}
	thread, err := mainThread(p.PID, p.mem, p.maps)
	if err != nil {
		return err
	}
	w, err := p.r.WordAt(thread + uint64(offset))
	if err != nil {
		return err
	}
	if w == 0 {
		return errors.New("the main thread has no isolate now: Node.js is starting or ending")
	}
	p.at = uint64(w)
	return nil
}

// sources counts where the fields of a layout come from.
func sources(l *layout.Layout, compared []layout.Field) LayoutSources {
	s := LayoutSources{Gaps: len(consequences(l))}
	for f := range layout.NumFields {
		switch v := l.Values[f]; {
		case v.State != layout.Known:
		case strings.HasPrefix(v.Origin, "machine code"):
			s.Code++
		case strings.HasPrefix(v.Origin, "rule"):
			s.Rules++
			if !slices.Contains(compared, f) {
				s.Assumed = append(s.Assumed, f)
			}
		default:
			s.Constants++
		}
	}
	return s
}
