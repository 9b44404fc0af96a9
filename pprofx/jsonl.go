package pprofx

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
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
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false) // keeps <anonymous> readable
	stacks := jsonStacks(s)
	labels := jsonLabels(s.LabelSets)
	for i := range s.Rows {
		if err := enc.Encode(jsonRow(s, &s.Rows[i], stacks, labels)); err != nil {
			return fmt.Errorf("write jsonl: sample %d: %w", i, err)
		}
	}
	return out.Flush()
}

type jsonSample struct {
	Time   int64          `json:"t"`
	PID    int32          `json:"pid"`
	TID    int32          `json:"tid"`
	Thread string         `json:"thread"`
	CPU    uint16         `json:"cpu"`
	State  string         `json:"state"`
	Labels map[string]any `json:"labels,omitempty"`
	Stop   string         `json:"stop"`
	Stack  []*jsonFrame   `json:"stack"`
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

func jsonRow(s *Snapshot, r *Row, stacks [][]*jsonFrame, labels []map[string]any) *jsonSample {
	return &jsonSample{
		Time: r.Time, PID: r.PID, TID: r.TID, Thread: s.Threads[r.Thread], CPU: r.CPU, State: r.State.String(),
		Labels: labels[r.Labels], Stop: r.Stop.String(), Stack: stacks[r.Stack],
	}
}

func jsonStacks(s *Snapshot) [][]*jsonFrame {
	frames := make([]*jsonFrame, len(s.Frames))
	for i, f := range s.Frames {
		frames[i] = newJSONFrame(f)
	}
	stacks := make([][]*jsonFrame, len(s.Stacks))
	for i, stack := range s.Stacks {
		stacks[i] = make([]*jsonFrame, len(stack))
		for j, f := range stack {
			stacks[i][j] = frames[f]
		}
	}
	return stacks
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

func jsonLabels(sets [][]Label) []map[string]any {
	objects := make([]map[string]any, len(sets))
	for i, set := range sets {
		objects[i] = make(map[string]any, len(set))
		for _, l := range set {
			if l.Str != "" {
				objects[i][l.Key] = l.Str
			} else {
				objects[i][l.Key] = l.Num
			}
		}
	}
	return objects
}
