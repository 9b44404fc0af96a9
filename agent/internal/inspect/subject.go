package inspect

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
	"github.com/hotspan/hotspan/v8/target"
	"github.com/hotspan/hotspan/v8/target/core"
	"github.com/hotspan/hotspan/v8/value"
)

// Subject is a process that is looked into, by its memory or by its core.
type Subject struct {
	Problems []error // with the mapped files of a core
	Missing  uint64  // bytes of memory that a core should have and does not: it was cut off

	process *process.Process
	types   map[int]string
	live    bool
	stopped time.Time // zero: it was not
	close   func()
}

// OpenLive looks into a process while it runs.
func OpenLive(pid int) (*Subject, error) {
	p, err := process.Open(pid, elffile.NewLayoutCache())
	if err != nil {
		return nil, err
	}
	return newSubject(p, true, p.TypeNames, p.Mappings.Release)
}

// OpenCore looks into a core. executable is as in process.OpenCore.
func OpenCore(c *core.Core, executable string) (*Subject, error) {
	p, err := process.OpenCore(c, executable, elffile.NewLayoutCache())
	if err != nil {
		return nil, err
	}
	s, err := newSubject(p.Process, false, p.TypeNames, p.Close)
	if err == nil && c.Missing == 0 && s.heap().Bytes() == 0 {
		s.Close()
		return nil, errNoHeap
	}
	if s != nil {
		s.Problems, s.Missing = p.Problems, c.Missing
	}
	return s, err
}

// errNoHeap says that a core has nothing of what most verbs show. (Linux: Documentation/filesystems/proc.rst,
// coredump_filter)
var errNoHeap = errors.New("nothing of V8's heap is in the core: /proc/PID/coredump_filter has to have 0x1 and 0x10")

func newSubject(p *process.Process, live bool, types func() (map[int]string, error), end func()) (*Subject, error) {
	s := &Subject{process: p, live: live, close: end}
	err := process.CanSample(p.Layout)
	if err == nil {
		s.types, err = types()
	}
	if result, failed := p.VerifyShortly(); failed == nil && result.Off != 0 {
		err = fmt.Errorf("its memory is not as that of its V8 (%v): %w", p.Layout.V8, ErrNotVerified)
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("%s: %w", p.Executable, err)
	}
	p.Memory = target.NewManyPages(p.Memory) // not before: each look of the layout check reads anew
	return s, nil
}

// now is a reader of the heap as it is now: what was read before of a process that runs counts no more.
func (s *Subject) now() *heap.Reader {
	r := s.process.Heap()
	if s.live {
		r.Forget()
	}
	return r
}

// At has times told as of the instant at which the process was stopped; the zero time is none.
func (s *Subject) At(stopped time.Time) { s.stopped = stopped }

// heap finds the heap of the process where it is now: V8 may have got memory since the process was opened.
func (s *Subject) heap() *space.Heap {
	return space.Find(s.process.Memory, s.process.Layout, s.types, s.ranges(), s.live)
}

// pages is heap for one isolate after the other.
func (s *Subject) pages() *space.Heap {
	return space.FindPages(s.process.Memory, s.process.Layout, s.types, s.ranges(), s.live)
}

// ranges are where the process has memory now that is of no file.
func (s *Subject) ranges() (out []space.Range) {
	maps := s.process.Mappings.Maps()
	if s.live {
		if now, err := procs.Maps(s.process.PID); err == nil {
			maps = now
		}
	}
	for _, m := range maps {
		noFile := m.Path == "" || m.Path == "[heap]" || strings.HasPrefix(m.Path, "[anon")
		if noFile && !m.Reserved { // WebAssembly reserves 8 GB a memory
			out = append(out, space.Range{Start: m.Start, End: m.End})
		}
	}
	return out
}

// Close gives back what the subject has open.
func (s *Subject) Close() { s.close() }

// ErrNotVerified says that values are not read by offsets that a process contradicts.
var ErrNotVerified = errors.New("no value is read")

// ErrChanged says that a process changed a value while it was read, each time.
var ErrChanged = errors.New("the process changes it while it is read: try again")

// maxLooks bounds how often a value of a process that runs is read.
const maxLooks = 8

// Print prints a value as util.inspect would, objects in objects depth deep, and with their private fields if private
// is set. The value of a process that runs is read until it is the same twice.
func (s *Subject) Print(address uint64, depth int, private bool) (string, error) {
	w := tagged(address)
	p := value.Printer{Heap: s.now(), Types: s.types, Depth: depth, Private: private}
	if _, err := p.Heap.Type(w); err != nil && !w.IsSmi() {
		return "", noObject(address, err)
	}
	text := p.Print(w)
	for range maxLooks {
		if !s.live {
			return text, nil
		}
		p.Heap.Forget()
		again := p.Print(w)
		if again == text {
			return text, nil
		}
		text = again
	}
	return "", fmt.Errorf("0x%x: %w", address, ErrChanged)
}

// tagged is the word of an address: with V8's tag or without, as an object is at an even address.
func tagged(address uint64) heap.Word {
	if w := heap.Word(address); w.IsSmi() || w.IsObject() {
		return w
	}
	return heap.Word(address | 1)
}

// noObject says why there is no object at an address.
func noObject(address uint64, err error) error {
	if !tagged(address).IsObject() {
		return fmt.Errorf("0x%x: no object of V8 begins there", address)
	}
	return fmt.Errorf("0x%x: no object of V8: %w", address, err)
}

// What is what an address is.
type What struct {
	Class       string // of V8's object, as JSArray; empty: there is none
	Constructor string // name; empty: it has none, or is no object of JavaScript
	HiddenClass uint64 // address, with V8's tag
	Builtin     string // V8's code at the address
	File        string // that is mapped there
	Start, End  uint64 // of the mapping; 0: nothing is mapped
}

// WhatIs says what an address is.
func (s *Subject) WhatIs(address uint64) (out What) {
	for _, m := range s.process.Mappings.Maps() {
		if m.Start <= address && address < m.End {
			out.File, out.Start, out.End = m.Path, m.Start, m.End
		}
	}
	if name, _, _, ok := s.process.Mappings.Builtin(address); ok {
		out.Builtin = name
		return out
	}
	r := s.now()
	w := tagged(address)
	object, hiddenClass, err := r.Forwarded(w)
	if w.IsSmi() || err != nil {
		return out
	}
	// The hidden class of a hidden class's hidden class is that itself.
	if typ, err := r.Type(hiddenClass); err != nil || typ != s.process.Layout.At(layout.TypeMap) {
		return out
	}
	typ, err := r.TypeOf(hiddenClass)
	if err != nil {
		return out
	}
	p := value.Printer{Heap: r, Types: s.types}
	out.Class, out.Constructor = p.Class(object, typ)
	out.HiddenClass = uint64(hiddenClass)
	return out
}
