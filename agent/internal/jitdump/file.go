package jitdump

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// maxRead bounds what is read of one file, in bytes.
const maxRead = 4 << 30

// maxLate is how often a record of one file may meet a later piece at its place. Threads write a little out of order,
// but one record could be earlier than all others, again and again.
const maxLate = 1 << 22

// file is a file that a process writes.
type file struct {
	codes
	of      Owner
	mapping procs.Mapping // of the file
	open    *os.File      // nil: not opened yet
	bytes   *procs.Timed
	buffer  *bufio.Reader
	reader  *Reader // nil: the header is not complete yet
	size    int64   // of the file, when it was read last
	named   bool    // it has named code
}

// Owner is the process that writes a file.
type Owner struct {
	PID   int
	Inner int  // in the process's own pid namespace
	V8    bool // it runs V8. V8's own file is not read: its code has better names in its memory
}

// Why a file is not read any further.
var (
	errShrunk  = errors.New("it has become shorter")
	errTooLong = fmt.Errorf("it is longer than %d GiB", maxRead>>30)
	errOther   = errors.New("another process has written it")
	errMachine = errors.New("it is of another kind of processor")
	errOrder   = errors.New("its times are in no order")
	errClock   = errors.New("its times are not those of CLOCK_MONOTONIC")
	errV8      = errors.New("V8 has written it, whose code is read from memory")
)

// ofV8 are the names that V8 gives code in its own file. (src/logging/log.cc, CodeEventLogger::NameBuffer::Init, and
// src/logging/code-events.h, CODE_TYPE_LIST)
var ofV8 = regexp.MustCompile(
	`^(Builtin|BytecodeHandler|Callback|Eval|Function|Handler|JS|LazyCompile|RegExp|Script|Stub|Native[A-Za-z]*):`)

// newFile is the file of a mapping, which is opened when it is read.
func newFile(of Owner, m procs.Mapping) *file {
	return &file{of: of, mapping: m, codes: codes{from: memory, user: procs.UserOf(of.PID)}}
}

// openMapped opens the file by its mapping.
func (f *file) openMapped() error {
	if ahead, ok := procs.ClockAhead(f.of.PID); !ok || ahead != 0 {
		return errClock
	}
	var err error
	f.open, err = procs.Open(f.of.PID, f.mapping)
	return err
}

// follow reads what is new in the file, up to what is not complete yet. now is CLOCK_MONOTONIC in nanoseconds. After an
// error the file is of no more use.
func (f *file) follow(now uint64) error {
	if f.open == nil {
		if err := f.openMapped(); err != nil {
			return err
		}
	}
	st, err := procs.StatFile(f.open)
	switch {
	case err != nil:
		return err
	case st.Size < f.size:
		return errShrunk
	case st.Size > maxRead:
		return errTooLong
	case st.Size == f.size:
		return nil
	}
	f.size = st.Size
	f.bytes = procs.NewTimed(f.open)
	if f.reader == nil {
		if err := f.begin(); f.reader == nil {
			return err
		}
	} else {
		f.reader.Continue(f.from(f.reader.At()))
	}
	for {
		r, err := f.reader.Next()
		f.left, f.reader.Left = f.left+f.reader.Left, 0
		if errors.Is(err, io.EOF) || errors.Is(err, ErrPartial) {
			f.forget(now)
			return nil
		}
		if err == nil {
			err = f.check(r, now)
		}
		if err != nil {
			return err
		}
		if f.add(r); f.late > maxLate {
			return errOrder
		}
	}
}

// from reads the file from a byte on, as far as it was when it was looked at; nil: it ends before.
func (f *file) from(at int64) io.Reader {
	if at > f.size {
		return nil
	}
	section := io.NewSectionReader(f.bytes, at, f.size-at)
	if f.buffer == nil {
		f.buffer = bufio.NewReaderSize(section, 64<<10)
	} else {
		f.buffer.Reset(section)
	}
	return f.buffer
}

// begin reads the header, if it is complete.
func (f *file) begin() error {
	r, err := NewReader(f.from(0))
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, ErrPartial):
		return nil
	case err != nil:
		return err
	case int64(r.PID) != int64(f.of.Inner):
		return errOther
	case r.Machine != X86_64 && r.Machine != 0: // CPython 3.13 leaves it 0
		return errMachine
	case r.Ticks:
		return errClock
	}
	f.reader = r
	r.From = f.from
	return nil
}

// check refuses what is no use, or cannot be true.
func (f *file) check(r Record, now uint64) error {
	var time uint64
	switch {
	case r.Code != nil:
		time = r.Code.Time
		if !f.named && f.of.V8 && ofV8.MatchString(r.Code.Name) {
			return errV8
		}
		f.named = true
	case r.Move != nil:
		time = r.Move.Time
	default:
		time = r.End.Time
	}
	if time <= now {
		return nil
	}
	if time > uint64(procs.Monotonic()) { // it may have been written since
		return errClock
	}
	return nil
}
