// Package report adds snapshots up: which routes, functions, traces and threads used the CPU.
package report

// Report is what a Builder has added up. Counts are of samples; each stands for Period nanoseconds of CPU time.
type Report struct {
	Start   int64            `json:"start"` // Unix time in nanoseconds, of the first snapshot
	End     int64            `json:"end"`   // of the last
	Period  int64            `json:"period"`
	Samples int64            `json:"samples"`
	Lost    map[string]int64 `json:"lost"` // by reason

	Classes   Counts     `json:"classes"`
	Routes    []Group    `json:"routes"`       // by http.route
	Traces    []Group    `json:"traces"`       // by trace_id; Detail is the route with most samples
	Threads   []Group    `json:"threads"`      // by name
	By        []Group    `json:"by,omitempty"` // by the label that was asked for
	Functions []Function `json:"functions"`
}

// Group is the samples that have a value in common. Name is empty for those without one.
type Group struct {
	Name    string `json:"name"`
	Detail  string `json:"detail,omitempty"`
	Samples int64  `json:"samples"`
	Classes Counts `json:"classes"`
}

// Function is the samples of a function: those in which it is the JavaScript function nearest to the leaf, so that what
// V8, Node and the kernel do for it counts as its own, and all that have it in their stack.
type Function struct {
	Name    string `json:"name"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // with most own samples; 0 if unknown
	Own     int64  `json:"own"`
	Total   int64  `json:"total"`
	Classes Counts `json:"classes"` // of the own samples
}
