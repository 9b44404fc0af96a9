package pprofx

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// WriteJSONL writes the samples of a snapshot as JSON lines: one object per sample, ordered by time:
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
// The Writer of this format also writes what is true of all samples, which a JSONLReader needs: see jsonSnapshot. It is
// the field snapshot of the first sample, or if there is none of a line that has nothing else.
func WriteJSONL(w io.Writer, s *Snapshot) error { return writeJSONL(w, s, nil) }

func writeJSONLSnapshot(w io.Writer, s *Snapshot) error {
	return writeJSONL(w, s, fmt.Appendf(nil, `"snapshot":%s`, jsonText(newJSONSnapshot(s))))
}

// writeJSONL writes the lines of a snapshot. The first has the member about, if there is one.
func writeJSONL(w io.Writer, s *Snapshot, about []byte) error {
	if err := s.Check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	t := newJSONTexts(s)
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

// jsonTexts holds the texts of what the rows of a snapshot refer to: each is encoded once.
type jsonTexts struct {
	untimed                 bool
	stacks                  [][]int32
	frames, labels, threads [][]byte
}

func newJSONTexts(s *Snapshot) *jsonTexts {
	t := &jsonTexts{untimed: s.Untimed, stacks: s.Stacks}
	for _, f := range s.Frames {
		t.frames = append(t.frames, jsonText(newJSONFrame(f)))
	}
	for _, set := range s.LabelSets {
		t.labels = append(t.labels, jsonText(jsonLabels(set)))
	}
	for _, name := range s.Threads {
		t.threads = append(t.threads, jsonText(name))
	}
	return t
}

const noLabels = "{}"

// appendRow appends the line of a row, without its closing brace.
func (t *jsonTexts) appendRow(b []byte, r *Row) []byte {
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

type jsonFrame struct {
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

func newJSONFrame(f *Frame) *jsonFrame {
	j := &jsonFrame{
		Function: f.Function, File: f.File, Line: f.Line, Column: f.Column,
		Kind: f.Kind.String(), Tier: f.Tier.String(), Inlined: f.Inlined, Module: f.Module,
	}
	if f.Address != 0 {
		j.Address = fmt.Sprintf("%#x", f.Address)
	}
	return j
}
