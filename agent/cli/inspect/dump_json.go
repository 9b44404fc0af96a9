package inspect

import (
	"fmt"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/dump"
	"github.com/hotspan/hotspan/pprofx"
)

// dumped is a dump in JSON.
type dumped struct {
	PID         int            `json:"pid"`
	CommandLine []string       `json:"commandLine"`
	Node        string         `json:"node,omitempty"`
	Began       int64          `json:"began"` // Unix time in nanoseconds
	Ended       int64          `json:"ended"`
	NotVerified string         `json:"notVerified,omitempty"`
	Threads     []dumpedThread `json:"threads"`
}

type dumpedThread struct {
	TID    int            `json:"tid"`
	Name   string         `json:"name"`
	Status string         `json:"status"`
	Caught bool           `json:"caught"`
	State  string         `json:"state,omitempty"` // of V8
	Stop   string         `json:"stop,omitempty"`
	Labels map[string]any `json:"labels,omitempty"`
	Stack  []dumpedFrame  `json:"stack"` // leaf first

	// Who waits for what the thread does, the nearest first; why there are no more, and the last promise.
	Async        []dumpedFrame `json:"async,omitempty"`
	AsyncEnd     string        `json:"asyncEnd,omitempty"`
	AsyncPromise string        `json:"asyncPromise,omitempty"`
}

// dumpedFrame has the names of JSON lines (pprofx/jsonl.go).
type dumpedFrame struct {
	Function string `json:"f"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"col,omitempty"`
	Module   string `json:"mod,omitempty"`
	Kind     string `json:"kind"`
	Tier     string `json:"tier,omitempty"`
	Inlined  bool   `json:"inlined,omitempty"`

	// The last three are those of inspect.
	This      *dumpedValue  `json:"this,omitempty"`
	Arguments []dumpedValue `json:"arguments,omitempty"`
	More      int           `json:"moreArguments,omitempty"`
}

// dumpedValue is a value, and where it is if it is not in the word itself.
type dumpedValue struct {
	Text    string `json:"text"`
	Address string `json:"address,omitempty"`
}

func valueOf(a dump.Argument) dumpedValue {
	v := dumpedValue{Text: a.Text}
	if a.Address != 0 {
		v.Address = fmt.Sprintf("0x%x", a.Address)
	}
	return v
}

func dumpOf(d *dump.Dump) dumped {
	out := dumped{PID: d.PID, CommandLine: d.CommandLine, Node: d.Node, Began: d.Began.UnixNano(),
		Ended: d.Ended.UnixNano(), NotVerified: d.NotVerified, Threads: []dumpedThread{}}
	for _, t := range d.Threads {
		to := dumpedThread{TID: t.TID, Name: t.Name, Status: t.Status, Caught: t.Caught, Stack: []dumpedFrame{}}
		if t.Caught {
			to.State, to.Stop = t.State.String(), t.Stop.String()
		}
		to.Labels = terminal.LabelValues(t.Labels)
		for i, f := range t.Stack {
			frame := frameOf(f)
			if a, ok := t.Arguments[i]; ok {
				this := valueOf(a.Receiver)
				frame.This, frame.More = &this, a.More
				for _, v := range a.Values {
					frame.Arguments = append(frame.Arguments, valueOf(v))
				}
			}
			to.Stack = append(to.Stack, frame)
		}
		for _, f := range t.Async.Callers {
			to.Async = append(to.Async, frameOf(f))
		}
		if t.Async.Promise != 0 {
			to.AsyncEnd, to.AsyncPromise = endNames[t.Async.End], hexOrEmpty(t.Async.Promise)
		}
		out.Threads = append(out.Threads, to)
	}
	return out
}

func frameOf(f *pprofx.Frame) dumpedFrame {
	return dumpedFrame{Function: f.Function, File: f.File, Line: f.Line, Column: f.Column, Module: f.Module,
		Kind: f.Kind.String(), Tier: f.Tier.String(), Inlined: f.Inlined}
}
