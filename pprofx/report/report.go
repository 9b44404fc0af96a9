// Package report adds snapshots up: which routes, functions, traces and threads used the CPU, or waited.
package report

import "github.com/hotspan/hotspan/pprofx"

// Report is what a Builder has added up. Counts are of samples; each stands for Period nanoseconds of CPU time. Where
// the rate has changed, samples of another rate count as so many as they stand for, rounded. Of other
// measures they are weights. There are stalls of CPUTime and of WallTime.
type Report struct {
	Start   int64            `json:"start"` // Unix time in nanoseconds, of the earliest snapshot
	End     int64            `json:"end"`   // of the latest
	Gaps    float64          `json:"gaps"`  // seconds between these of which there is no snapshot
	Period  int64            `json:"period"`
	Samples int64            `json:"samples"`
	Lost    map[string]int64 `json:"lost"` // by reason
	Measure pprofx.Measure   `json:"measure,omitzero"`
	Weighed int64            `json:"weighed,omitempty"` // samples, or hits, where Samples counts what they stand for

	Classes    Counts     `json:"classes"`
	Routes     []Group    `json:"routes"`       // by http.route
	PathOnly   int64      `json:"path_only"`    // in requests without a route whose path is known
	Traces     []Group    `json:"traces"`       // by trace_id; Detail is the route with most samples
	Threads    []Group    `json:"threads"`      // by name
	Processes  []Group    `json:"processes"`    // by pid; Detail is the service, or the name of the executable
	By         []Group    `json:"by,omitempty"` // by the label that was asked for; Detail of spans is as for traces
	Functions  []Function `json:"functions"`
	Stalls     []Stall    `json:"stalls,omitempty"`      // the longest first; their counts are of samples of any period
	MoreStalls int64      `json:"more_stalls,omitempty"` // shorter ones, which are left out
	Loops      int        `json:"loops"`                 // threads whose turns of the event loop are known
}

// Group is the samples that have a value in common. Name is empty for those without one.
type Group struct {
	Name    string `json:"name"`
	Detail  string `json:"detail,omitempty"`
	Samples int64  `json:"samples"`
	Classes Counts `json:"classes"`
}

// inSamples makes counts of samples of counts of nanoseconds.
func (r *Report) inSamples() {
	samples := func(all ...*int64) {
		for _, n := range all {
			*n = (*n + r.Period/2) / max(r.Period, 1)
		}
	}
	classes := func(c *Counts) {
		for i := range c {
			samples(&c[i])
		}
	}
	samples(&r.Samples, &r.PathOnly)
	classes(&r.Classes)
	for _, groups := range [][]Group{r.Routes, r.Traces, r.Threads, r.Processes, r.By} {
		for i := range groups {
			samples(&groups[i].Samples)
			classes(&groups[i].Classes)
		}
	}
	for i := range r.Functions {
		f := &r.Functions[i]
		samples(&f.Own, &f.Total)
		if f.From != nil {
			samples(&f.From.Samples)
		}
		classes(&f.Classes)
	}
}
