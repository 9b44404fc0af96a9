// Package jsonl writes snapshots as JSON lines, a line a sample, for programs that look at single samples, and reads
// them again.
package jsonl

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/hotspan/hotspan/pprofx"
)

// Write writes the samples of a snapshot as JSON lines: one object per sample, ordered by time:
//
//	t       Unix time in nanoseconds; absent if the snapshot is Untimed
//	pid     process
//	tid     thread
//	thread  name of the thread
//	cpu     logical CPU
//	state   VM state: js, gc, compiler, external, idle or other
//	labels  labels of the request as an object: strings, and numbers without their unit
//	start   when the request began by its tracer, Unix time in nanoseconds, if that is known
//	weight  of a wait: how long it took, in nanoseconds; then t is its end
//	hits    of a probe with every=: how many the sample stands for, if not 1
//	turn    number of the turn of the thread's event loop, if that is known and took long
//	stop    why the stack walk ended, see StopReason: "root" if it reached the thread's first frame
//	stack   the frames, leaf first:
//	  f        function
//	  file     source file or URL
//	  line     1-based line of the point of execution
//	  col      1-based column
//	  kind     js, builtin, regexp, wasm, native, kernel, jit or marker
//	  tier     compiler of a JavaScript frame: ignition, sparkplug, maglev or turbofan
//	  inlined  true if the function is inlined into that of the next frame
//	  mod      file that holds native code, [kernel] for the kernel
//	  addr     address in that file, as a string: "0x1f00"
//
// Empty labels, an unknown start or turn, no weight, and empty or zero fields of a frame but f and kind, are left out.
// All other fields are always there.
//
// A Writer also writes what is true of all samples, which a Reader needs.
func Write(to io.Writer, s *pprofx.Snapshot) error { return write(to, s, nil) }

// Writer writes the lines of each snapshot when it comes. It is a pprofx.Writer.
type Writer struct {
	to   io.Writer
	left pprofx.LeftOut
}

// NewWriter returns a Writer of lines as Write writes them. Beside these, what is true of all samples of a snapshot is
// there, see header: the field snapshot of the first sample, or if there is none of a line that has nothing else.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Add writes the lines of a snapshot.
func (w *Writer) Add(s *pprofx.Snapshot) error {
	if err := write(w.to, s, fmt.Appendf(nil, `"snapshot":%s`, encode(newHeader(s)))); err != nil {
		return err
	}
	w.left.Add(s.LeftOut())
	return nil
}

// LeftOut counts samples of which a part is not in the file.
func (w *Writer) LeftOut() pprofx.LeftOut { return w.left }

// Close does nothing: a file has no end of its own.
func (w *Writer) Close() error { return nil }

// write writes the lines of a snapshot. The first has the member about, if there is one.
func write(w io.Writer, s *pprofx.Snapshot, about []byte) error {
	if err := s.Check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	t := newTexts(s)
	if len(s.Rows) == 0 && about != nil {
		fmt.Fprintf(out, "{%s}\n", about) // Flush returns the error
	}
	var line []byte
	for i := range s.Rows {
		line = t.appendRow(line[:0], &s.Rows[i])
		if i == 0 && about != nil {
			line = append(append(line, ','), about...)
		}
		line = append(line, "}\n"...)
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write jsonl: sample %d: %w", i, err)
		}
	}
	return out.Flush()
}

// texts holds the texts of what the rows of a snapshot refer to: each is encoded once.
type texts struct {
	untimed                 bool
	stacks                  [][]int32
	frames, labels, threads [][]byte
}

func newTexts(s *pprofx.Snapshot) *texts {
	t := &texts{untimed: s.Untimed, stacks: s.Stacks}
	for _, f := range s.Frames {
		t.frames = append(t.frames, encode(newFrame(f)))
	}
	for _, set := range s.LabelSets {
		t.labels = append(t.labels, encode(objectOf(set)))
	}
	for _, name := range s.Threads {
		t.threads = append(t.threads, encode(name))
	}
	return t
}

const noLabels = "{}"

// appendRow appends the line of a row, without its closing brace.
func (t *texts) appendRow(b []byte, r *pprofx.Row) []byte {
	b = append(b, '{')
	if !t.untimed {
		b = append(strconv.AppendInt(append(b, `"t":`...), r.Time, 10), ',')
	}
	b = strconv.AppendInt(append(b, `"pid":`...), int64(r.PID), 10)
	b = strconv.AppendInt(append(b, `,"tid":`...), int64(r.TID), 10)
	b = append(append(b, `,"thread":`...), t.threads[r.Thread]...)
	b = strconv.AppendInt(append(b, `,"cpu":`...), int64(r.CPU), 10)
	b = append(append(b, `,"state":"`...), r.State.String()...)
	b = append(b, '"')
	if labels := t.labels[r.Labels]; string(labels) != noLabels {
		b = append(append(b, `,"labels":`...), labels...)
	}
	if r.Start != 0 {
		b = strconv.AppendInt(append(b, `,"start":`...), r.Start, 10)
	}
	if r.Weight != 0 {
		b = strconv.AppendInt(append(b, `,"weight":`...), r.Weight, 10)
	}
	if r.Others != 0 {
		b = strconv.AppendInt(append(b, `,"hits":`...), r.Hits(), 10)
	}
	if r.Turn != 0 {
		b = strconv.AppendUint(append(b, `,"turn":`...), uint64(r.Turn), 10)
	}
	b = append(append(b, `,"stop":"`...), r.Stop.String()...)
	b = append(b, `","stack":[`...)
	for i, f := range t.stacks[r.Stack] {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t.frames[f]...)
	}
	return append(b, ']')
}

type frame struct {
	Function string `json:"f"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"col,omitempty"`
	Kind     string `json:"kind"`
	Tier     string `json:"tier,omitempty"`
	Inlined  bool   `json:"inlined,omitempty"`
	Module   string `json:"mod,omitempty"`
	Address  string `json:"addr,omitempty"`
}

func newFrame(f *pprofx.Frame) *frame {
	j := &frame{
		Function: f.Function, File: f.File, Line: f.Line, Column: f.Column,
		Kind: f.Kind.String(), Tier: f.Tier.String(), Inlined: f.Inlined, Module: f.Module,
	}
	if f.Address != 0 {
		j.Address = fmt.Sprintf("%#x", f.Address)
	}
	return j
}
