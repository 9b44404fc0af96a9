package pprofx

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// WriteJSONL writes a snapshot as JSON lines: one object per sample, ordered by time:
//
//	t       Unix time in nanoseconds
//	pid     process
//	tid     thread
//	thread  name of the thread
//	cpu     logical CPU
//	state   VM state: js, gc, compiler, external, idle or other
//	labels  labels of the request as an object: strings, and numbers without their unit
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
// Empty labels, and empty or zero fields of a frame except f and kind, are left out. All other fields are always there.
func WriteJSONL(w io.Writer, s *Snapshot) error {
	if err := s.Check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	t := newJSONTexts(s)
	var line []byte
	for i := range s.Rows {
		line = t.appendRow(line[:0], &s.Rows[i])
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write jsonl: sample %d: %w", i, err)
		}
	}
	return out.Flush()
}

// jsonTexts holds the texts of what the rows of a snapshot refer to: each is encoded once.
type jsonTexts struct {
	stacks                  [][]int32
	frames, labels, threads [][]byte
}

func newJSONTexts(s *Snapshot) *jsonTexts {
	t := &jsonTexts{stacks: s.Stacks}
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

// jsonText encodes a value that cannot fail to be: strings, numbers, and structs and maps of them.
func jsonText(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // keeps <anonymous> readable
	_ = enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

const noLabels = "{}"

// appendRow appends the line of a row.
func (t *jsonTexts) appendRow(b []byte, r *Row) []byte {
	b = strconv.AppendInt(append(b, `{"t":`...), r.Time, 10)
	b = strconv.AppendInt(append(b, `,"pid":`...), int64(r.PID), 10)
	b = strconv.AppendInt(append(b, `,"tid":`...), int64(r.TID), 10)
	b = append(append(b, `,"thread":`...), t.threads[r.Thread]...)
	b = strconv.AppendInt(append(b, `,"cpu":`...), int64(r.CPU), 10)
	b = append(append(b, `,"state":"`...), r.State.String()...)
	if labels := t.labels[r.Labels]; string(labels) != noLabels {
		b = append(append(b, `","labels":`...), labels...)
		b = append(b, `,"stop":"`...)
	} else {
		b = append(b, `","stop":"`...)
	}
	b = append(append(b, r.Stop.String()...), `","stack":[`...)
	for i, f := range t.stacks[r.Stack] {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t.frames[f]...)
	}
	return append(b, "]}\n"...)
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

func jsonLabels(set []Label) map[string]any {
	object := make(map[string]any, len(set))
	for _, l := range set {
		if l.Str != "" {
			object[l.Key] = l.Str
		} else {
			object[l.Key] = l.Num
		}
	}
	return object
}
