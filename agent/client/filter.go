package client

import (
	"time"

	"github.com/hotspan/hotspan/agent/api"
)

// Filter chooses samples and their labels. A sample must fulfil each condition; the zero Filter chooses all.
type Filter struct {
	Services  []string  // of any of these
	Processes []Process // of any of these
	Labels    []Label   // all of them
	// Allow and Deny name the labels that come and that do not; * stands for the rest of a name. Without Allow all do.
	Allow, Deny []string
}

// Process is a process on the agent's machine.
type Process struct {
	PID     int
	Started uint64 // field 22 of /proc/PID/stat; 0: whenever it started
}

// Label is a condition on one label.
type Label struct {
	Name   string
	Values []string // any of these; empty: the sample has the label
}

func (f *Filter) request() *api.Filter {
	out := &api.Filter{Services: f.Services, AllowLabels: f.Allow, DenyLabels: f.Deny}
	for _, p := range f.Processes {
		out.Processes = append(out.Processes, p.request())
	}
	for _, l := range f.Labels {
		out.Labels = append(out.Labels, &api.LabelFilter{Name: l.Name, Values: l.Values})
	}
	return out
}

func (p Process) request() *api.Process { return &api.Process{Pid: int32(p.PID), Started: p.Started} }

func nanoseconds(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixNano())
}
