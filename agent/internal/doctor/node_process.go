package doctor

import (
	"github.com/hotspan/hotspan/agent/internal/inspect"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

// NodeProcess describes one Node process.
type NodeProcess struct {
	PID         int                   `json:"pid"`
	CommandLine []string              `json:"commandLine"`
	Executable  string                `json:"executable"`
	Denied      error                 `json:"-"`              // why it may not be read; then nothing below is set
	Node        string                `json:"node,omitempty"` // version; empty if the executable does not contain it
	V8          string                `json:"v8,omitempty"`
	Layout      LayoutSources         `json:"layout"`
	Cannot      error                 `json:"-"` // why it cannot be sampled, or nil
	Check       SelfCheck             `json:"-"`
	Stores      inspect.StoreLocation `json:"-"`
	Detail      *Detail               `json:"-"` // nil unless asked for
}

// SelfCheck is the result of comparing a layout with the main thread's isolate while the process runs.
type SelfCheck struct {
	verify.Result
	None string // why nothing was compared
}

// LayoutSources says where the fields of a layout come from.
type LayoutSources struct {
	Code      int            `json:"code"`      // fields by machine code
	Constants int            `json:"constants"` // by exported constants
	Rules     int            `json:"rules"`     // by rules for a version of V8
	Gaps      int            `json:"gaps"`      // unknown fields and tables
	Assumed   []layout.Field `json:"-"`         // by rule, and not verified in the process
}

// Known returns the number of fields that have a value.
func (s *LayoutSources) Known() int { return s.Code + s.Constants + s.Rules }

// Detail is what doctor reports only for a process that was given by pid.
type Detail struct {
	Consequences []string        // of the unknown fields of the layout
	Code, Files  int             // executable mappings, and their files
	LeftOut      int             // of these mappings, those for which the BPF map has no room
	Problems     []string        // of the files: no symbols, no unwind rules
	Published    []Publication   // for readers outside it
	Stores       []inspect.Store // in the frame or resource that was current during the inspection
	Labels       []string        // rules that would make labels of the values in these stores, quoted for a shell
}

// Publication is something that a process publishes for readers outside it.
type Publication struct {
	What string // a phrase
	Not  string // why it is not read; empty where it is
}
