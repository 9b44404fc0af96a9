package serve

import (
	"github.com/hotspan/hotspan/pprofx"
)

// samplesOf is a snapshot as a session sends it. Stacks, labels and frames are there once, and samples refer to them by
// index.
type samplesOf struct {
	Frames  []sessionFrame   `json:"frames"`
	Stacks  [][]int32        `json:"stacks"` // leaf first
	Labels  []map[string]any `json:"labels"`
	Threads []string         `json:"threads"` // names
	Samples []sessionSample  `json:"samples"`
}

type sessionFrame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Kind     string `json:"kind"`
	Tier     string `json:"tier,omitempty"`
	Inlined  bool   `json:"inlined,omitempty"`
}

// sessionSample is nanoseconds since the start, stack, labels, thread's name, thread id and state.
type sessionSample [6]any

func sessionSamples(s *pprofx.Snapshot) samplesOf {
	out := samplesOf{
		Frames: []sessionFrame{}, Stacks: s.Stacks, Labels: []map[string]any{}, Threads: s.Threads,
		Samples: make([]sessionSample, 0, len(s.Rows)),
	}
	for _, f := range s.Frames {
		out.Frames = append(out.Frames, sessionFrame{
			f.Function, f.File, f.Line, f.Column, f.Kind.String(), f.Tier.String(), f.Inlined,
		})
	}
	for _, set := range s.LabelSets {
		labels := map[string]any{}
		for _, l := range set {
			labels[l.Key] = l.Str
			if l.Str == "" {
				labels[l.Key] = l.Num
			}
		}
		out.Labels = append(out.Labels, labels)
	}
	for _, r := range s.Rows {
		out.Samples = append(out.Samples,
			sessionSample{r.Time - s.Start, r.Stack, r.Labels, r.Thread, r.TID, r.State.String()})
	}
	return out
}
