package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/space"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// ErrNotNode says that a process does not run V8.
var ErrNotNode = errors.New("not a Node.js process: there is no V8 in its executable or libraries")

// target is a process that is profiled.
type target struct {
	pid       int
	since     int64 // when it was looked at first, CLOCK_MONOTONIC in nanoseconds
	prepared  int64 // when all was read that must be known of it
	met       bool  // a sample of it was named
	process   pprofx.Process
	derived   pprofx.Process // of it, what was found out from outside
	space     *space.Space
	resolver  *stack.Resolver
	pupil     *pupil
	config    *bpf.Process
	frames    frameCache
	threads   map[[16]int8]string
	sample    pprofx.Sample // the one at hand, used again for the next
	flags     flags         // of the sample at hand
	learnt    learnt
	published published
	jobs      map[uint32]job // of libuv's pool, by thread
	root      *procs.RootDir // nil: not needed, or not to be opened
	maps      map[int]int32  // number of the source map, by script id
	refresh   schedule       // when to read the mappings again: after a start much is mapped
	keyless   bool           // where a thread's isolate is is not known before V8 has started
	stale     bool           // an address was met that no mapping has
	looked    time.Time      // when the mappings were read last
	looking   bool           // they are being read
}

// attach begins to profile a process.
func (a *Agent) attach(pid int) error {
	t, err := a.prepare(pid)
	if err != nil {
		return err
	}
	return a.adopt(t)
}

// prepare reads all that must be known of a process. It takes long where a file is met for the first time.
func (a *Agent) prepare(pid int) (*target, error) {
	if pid <= 0 {
		return nil, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	since := monotonic()
	exe, err := procs.Executable(pid)
	if err != nil {
		return nil, explainAccess(pid, denied(pid, err))
	}
	mem := memory.Live{PID: pid}
	s, err := space.New(pid, mem, a.files)
	if err != nil {
		return nil, explainAccess(pid, err)
	}
	l := s.Layout()
	if l == nil && s.Unread() != nil {
		return nil, fmt.Errorf("process %d (%s): whether it runs V8 is not known: %w", pid, exe, s.Unread())
	}
	if l == nil {
		return nil, fmt.Errorf("process %d (%s): %w", pid, exe, ErrNotNode)
	}
	if err := lacks(l); err != nil {
		return nil, fmt.Errorf("process %d (%s): %w", pid, exe, err)
	}
	r := heap.NewReader(mem, l)
	t := &target{
		pid: pid, since: since, space: s, resolver: stack.NewResolver(r, s), pupil: &pupil{learner: reqctx.NewLearner(a.tree, heap.NewReader(mem, l))},
		derived: pprofx.Process{Executable: exe, Container: procs.ContainerID(pid)},
		threads: map[[16]int8]string{}, frames: newFrameCache(), jobs: map[uint32]job{},
	}
	t.process = t.derived
	a.followMaps(t)
	t.configure(a.tree, l)
	t.configurePool(a.tree)
	t.pupil.id = t.config.Id
	a.findIsolates(t)
	a.warnProblems(t)
	t.prepared = monotonic()
	return t, nil
}

// adopt has the BPF program sample a process.
func (a *Agent) adopt(t *target) error {
	t.published.since = time.Now()
	a.findPublished(t, t.published.since)
	a.pupils.Store(t.pid, t.pupil)
	if err := a.publish(t); err != nil {
		a.pupils.Delete(t.pid)
		return err
	}
	if procs.Ended(t.pid) { // before the program would have told
		a.sampler.RemoveProcess(t.pid)
		a.pupils.Delete(t.pid)
		return fmt.Errorf("process %d: %w", t.pid, ErrGone)
	}
	a.targets[t.pid] = t
	if a.builder != nil {
		a.builder.SetProcess(t.pid, t.process) // it has just started: there is nothing to compare with yet
		return nil
	}
	go a.verify(t.pid, t.space.Layout(), t.space.Bias())
	return nil
}

func (a *Agent) warnProblems(t *target) {
	for _, p := range t.space.V8().Problems {
		a.log.Warn("executable", "pid", t.pid, "why", p)
	}
	for _, note := range t.space.Layout().Notes {
		a.log.Warn(note, "pid", t.pid)
	}
	if err := requireContext(t.space.Layout()); err != nil {
		a.log.Warn("requests cannot be told: samples have no labels", "pid", t.pid, "why", err)
	}
}

// publish tells the BPF program what it must know of a process.
func (a *Agent) publish(t *target) error {
	n, left := t.space.Mappings(t.config.Mappings[:])
	t.config.N_mappings = uint32(n)
	if left > 0 {
		a.log.Warn("process has more executable mappings than are kept", "pid", t.pid, "left out", left)
	}
	if err := a.sampler.SetProcess(t.pid, t.config); err != nil {
		return fmt.Errorf("process %d: %w", t.pid, err)
	}
	return nil
}

func (a *Agent) detach(t *target) {
	if err := a.sampler.RemoveProcess(t.pid); err != nil {
		a.log.Warn("process stays in the program's table", "pid", t.pid, "why", err)
	}
	a.pupils.CompareAndDelete(t.pid, t.pupil)
	a.maps.end(t)
	a.seen = append(a.seen, t.pupil.seen()...)
	delete(a.targets, t.pid)
}

// forgetEnded finds the processes whose end was not told.
func (a *Agent) forgetEnded() {
	for _, t := range a.targets {
		if procs.Ended(t.pid) {
			a.detach(t)
		}
	}
}

// tend looks after processes: those that end, those that have just started, and those whose mappings have changed.
func (a *Agent) tend() {
	now := time.Now()
	for _, t := range a.targets {
		if t.refresh.due(now) || t.stale && now.Sub(t.looked) > 50*time.Millisecond {
			a.look(t, now)
		}
		a.tendPublished(t, now)
	}
	a.lookAgain(now)
	if a.config.Progress != nil && now.Sub(a.shown) > progressEvery {
		a.shown = now
		a.config.Progress(a.progress(now))
	}
}

// look has the mappings of a process read again.
func (a *Agent) look(t *target, now time.Time) {
	if t.looking {
		return
	}
	t.stale, t.looked, t.looking = false, now, true
	a.later(func() func() {
		next, err := t.space.Again()
		return func() {
			t.looking = false
			if err != nil || a.targets[t.pid] != t {
				return
			}
			moved := t.space.Update(next)
			if moved {
				clear(t.frames.native)
			}
			isolates := t.keyless && a.findIsolates(t)
			if published := a.findPublished(t, now); moved || isolates || published {
				a.remap(t)
			}
			a.builder.SetProcess(t.pid, t.process)
		}
	})
}

// remap tells the BPF program of mappings that have changed.
func (a *Agent) remap(t *target) {
	if err := a.publish(t); err != nil {
		a.log.Warn("mappings not updated", "pid", t.pid, "why", err)
	}
}

// finished reports whether all that was to be profiled has ended.
func (a *Agent) finished() bool {
	s := &a.config.Select
	if len(a.targets) > 0 || a.control.pending > 0 || s.All || s.Name != nil {
		return false
	}
	return s.Tree == 0 || procs.Ended(s.Tree)
}

// ErrGone says that a process has ended.
var ErrGone = errors.New("there is no such process")

// explainAccess says what to do when a process may not be looked at.
func explainAccess(pid int, err error) error {
	switch {
	case errors.Is(err, ErrNotNode):
		return fmt.Errorf("process %d: %w", pid, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("process %d may not be looked at: run hotspan as root, or give it CAP_SYS_PTRACE: %w", pid, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ESRCH):
		return fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	return err
}

// lacks names what naming cannot do without and the layout does not tell.
func lacks(l *layout.Layout) error {
	if err := l.Require(needed...); err != nil {
		return err
	}
	return l.Resolved(neededIfAny...)
}

// needed is what naming cannot do without; neededIfAny, what it cannot in a V8 that has it; contextFields, what reading
// the request from the AsyncContextFrame cannot.
var (
	neededIfAny = []layout.Field{layout.CodeInstructionStart, layout.InstructionStreamCode}

	needed = []layout.Field{
		layout.MapInstanceType, layout.JSFunctionShared, layout.SFIScript, layout.SFIFunctionLiteralID,
		layout.SFINameOrScopeInfo, layout.ScriptID, layout.ScriptSource, layout.ScriptName, layout.BytecodeArrayFirstByte,
		layout.BytecodeArrayLength, layout.BytecodeArrayPositions, layout.CodeInstructionSize,
		layout.CodeFlags, layout.CodeFlagsKindMask, layout.CodePositions, layout.CodeDeoptData,
		layout.InstructionStreamBody, layout.StringLength, layout.FixedArrayLength,
		layout.FixedArrayData, layout.TypeScript, layout.TypeSharedFunctionInfo, layout.TypeBytecodeArray,
		layout.TypeCode, layout.TypeInstructionStream, layout.TypeScopeInfo, layout.FirstNonStringType,
	}
	contextFields = []layout.Field{
		layout.IsolateCPED, layout.JSMapTable, layout.TypeJSMap, layout.MapBitField3,
		layout.MapDescriptors, layout.JSReceiverPropertiesOrHash, layout.PropertyArrayData, layout.TypePropertyArray, layout.NameHash,
		layout.FixedArrayData, layout.TypeOddball, layout.OddballKind, layout.BitField3DictionaryMapBit,
	}
)
