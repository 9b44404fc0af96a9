// Package dump takes the stacks of all threads of a Node process, while it runs: of those that wait too.
//
// A sample is of a thread that runs; no timer shows where one waits. But the kernel has the registers of each thread
// that does not run (package registers), and its stack stands still meanwhile: it is walked in Go, by the specification
// of the walk in the kernel, and named as samples are. Then the registers are read again. If the thread has run in
// between, all that was read of it is thrown away, and it is tried again. So what is said of a thread was true of it at
// one instant. Different threads are at different instants, some milliseconds apart.
//
// A thread that always runs never stands still for long enough. So hotspan goes to its CPU: while hotspan runs there,
// that thread does not. This takes it some milliseconds of its time, as any other process might. It is neither stopped
// nor traced, and gets no signal: ptrace would interrupt the system calls of a process that waits. One that cannot be
// caught has no stack, and the dump says so.
//
// Labels are read from the stores of AsyncLocalStorages, as by package inspect. What applications publish in
// thread-local variables, and whose work a thread of libuv's pool does, is not read: these threads have no labels.
package dump

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf/registers"
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/agent/internal/walk"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/target"
	"github.com/hotspan/hotspan/v8/verify"
)

// Config says what to dump.
type Config struct {
	PID          int
	Rules        []reqctx.Rule // of labels
	NoSourceMaps bool          // positions stay those of the generated code
	FileCache    string        // as in agent.Config
	Arguments    bool          // of functions are read too
	Log          *slog.Logger
}

// Dump is the threads of a process, the main thread first.
type Dump struct {
	PID         int
	CommandLine []string
	Node        string    // version; empty if the executable does not contain it
	Began       time.Time // between Began and Ended each thread was as the dump says
	Ended       time.Time
	NotVerified string // what is left out, since the process contradicts the layout; empty if nothing is
	Threads     []Thread
}

// Take takes a dump. Errors are those of process.Open, those of the BPF program, and agent.ErrGone's.
func Take(c Config) (*Dump, error) {
	if !procs.InHostPIDNamespace() {
		return nil, errors.New("process ids here are not the kernel's: " +
			"run hotspan in the host's PID namespace (docker run --pid=host)")
	}
	code := walk.NewCode()
	files := c.files(code)
	defer files.Close()
	p, err := process.Open(c.PID, files)
	if err != nil {
		return nil, err
	}
	defer p.Mappings.Release()
	// A thread of it stands still for as long as this one has its CPU: reads by another one would let it run.
	p.Memory = target.Live{PID: p.PID, Wait: true}
	if err := process.CanSample(p.Layout); err != nil {
		return nil, fmt.Errorf("process %d (%s): %w", c.PID, p.Executable, err)
	}
	u, left, err := walk.New(p, code)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", c.PID, err)
	}
	if left > 0 {
		c.Log.Warn("process has more executable mappings than are kept", "left out", left)
	}
	reader, err := registers.Open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	t := newTaker(&c, p, u, reader, p.TypeNames)
	defer priority.Raise()() // to get the CPU of a thread that runs
	began := time.Now()
	threads, err := t.take()
	if err != nil {
		return nil, err
	}
	d := &Dump{PID: c.PID, CommandLine: procs.Arguments(c.PID), Node: p.Layout.Node, Began: began, Ended: time.Now(),
		NotVerified: t.off.String()}
	d.Threads, err = t.mapped(threads)
	return d, err
}

// files makes the cache of the files that a process has mapped.
func (c *Config) files(code *walk.Code) *elffile.Cache {
	files := elffile.NewCache(code)
	if c.FileCache != "" {
		if err := files.KeepIn(c.FileCache, c.Log); err != nil {
			c.Log.Warn("executable files are parsed at each start: the cache directory is not used", "why", err)
		}
	}
	return files
}

// newTaker prepares what all threads need.
func newTaker(c *Config, p *process.Process, u *walk.Unwinder, from *registers.Reader,
	types func() (map[int]string, error)) *taker {
	t := &taker{process: p, unwinder: u, registers: from}
	var add func(functions.MappedScript) int32
	if !c.NoSourceMaps {
		t.maps = sourcemaps.New(c.Log)
		add = t.maps.Process(p.PID).Add
	}
	t.symbolizer = symbolize.New(p, nil, symbolize.NewNatives(), add)
	if result, err := p.VerifyShortly(); err == nil {
		t.off = result.Off
	}
	t.symbolizer.Distrust(t.off)
	t.memory = target.NewManyPages(p.Memory) // not before: each look of the layout check reads anew
	p.Memory = t.memory
	if t.off&verify.Labels == 0 {
		t.labels = inspect.NewLabelReader(p, c.Rules)
	}
	if t.off == 0 {
		names, err := types()
		switch {
		case err != nil:
			c.Log.Warn("arguments and async callers are not shown", "why", err)
		case c.Arguments:
			t.calls = newCalls(p, names)
		}
		if err == nil {
			t.async = newAsyncCallers(p, names, t.symbolizer)
		}
	}
	return t
}

// mapped returns the threads with the places of their source maps.
func (t *taker) mapped(threads []Thread) ([]Thread, error) {
	if t.maps == nil {
		return threads, nil
	}
	b, err := pprofx.NewBuilder(0, 1)
	if err != nil {
		return nil, err
	}
	var stacks []*[]*pprofx.Frame
	for i := range threads {
		stacks = append(stacks, &threads[i].Stack, &threads[i].Async.Callers)
	}
	for i, frames := range stacks {
		b.Add(&pprofx.Sample{Time: int64(i), Stack: *frames})
	}
	s := t.maps.Apply(b.Cut(int64(len(stacks))), func() bool { return false })
	for i, frames := range stacks {
		*frames = nil
		for _, f := range s.Stacks[s.Rows[i].Stack] {
			*frames = append(*frames, s.Frames[f])
		}
	}
	return threads, nil
}
