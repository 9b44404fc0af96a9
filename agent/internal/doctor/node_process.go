package doctor

import (
	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

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
	Stores      inspect.StoreLocation
	Detail      *Detail // nil unless asked for
}

// SelfCheck is what came of comparing a layout with the main thread's isolate while the process runs.
type SelfCheck struct {
	verify.Result
	None string // why nothing was compared
}

// LayoutSources says where the fields of a layout come from.
type LayoutSources struct {
	Code, Constants, Rules int            // fields by machine code, by exported constants, by rules for a version of V8
	Gaps                   int            // what nothing tells: fields, tables
	Assumed                []layout.Field // by rule, and not compared with the process
}

// Known is the number of fields that have a value.
func (s *LayoutSources) Known() int { return s.Code + s.Constants + s.Rules }

// Detail is what is said of a process that was asked for by pid.
type Detail struct {
	Consequences []string        // of what is unknown of the layout
	Code, Files  int             // executable mappings, and files that are mapped so
	LeftOut      int             // of these mappings, for which the BPF program has no room
	Problems     []string        // of the files: no symbols, no unwind rules
	Published    []Publication   // for readers outside it
	Stores       []inspect.Store // in the frame or resource that was current when the process was looked at
	Labels       []string        // rules that would make labels of what these have, as a shell takes them
}

// Publication is something that a process publishes for readers outside it.
type Publication struct {
	What string // a phrase
	Not  string // why it is not read; empty where it is
}
