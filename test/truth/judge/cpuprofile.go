package judge

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/hotspan/hotspan/test/truth"
)

// CPUProfile is a file of node --cpu-prof: the Profile of Chrome's DevTools protocol (Profiler domain).
type CPUProfile struct {
	Nodes      []profileNode `json:"nodes"`
	StartTime  int64         `json:"startTime"`  // microseconds of V8's base::TimeTicks, which is CLOCK_MONOTONIC
	Samples    []int         `json:"samples"`    // ids of nodes, the leaves
	TimeDeltas []int64       `json:"timeDeltas"` // microseconds since the sample before, the first since StartTime
}

// profileNode is a node of the tree of stacks: a leaf with its callers.
type profileNode struct {
	ID        int `json:"id"`
	CallFrame struct {
		FunctionName string `json:"functionName"`
		URL          string `json:"url"`
	} `json:"callFrame"`
	Children      []int `json:"children"`
	PositionTicks []struct {
		Line  int `json:"line"` // from 1
		Ticks int `json:"ticks"`
	} `json:"positionTicks"`
}

// ReadCPUProfile reads a .cpuprofile file.
func ReadCPUProfile(file string) (*CPUProfile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var p CPUProfile
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(p.Samples) != len(p.TimeDeltas) {
		return nil, fmt.Errorf("%s: %d samples with %d times", file, len(p.Samples), len(p.TimeDeltas))
	}
	return &p, nil
}

// Names of nodes that are not functions.
const (
	idle      = "(idle)"
	collector = "(garbage collector)"
)

// Select converts the profile to samples like hotspan's: the stacks of the main thread, without idle time. A profile
// has positions of leaves as sums only (Lines), and none of callers.
func (p *CPUProfile) Select(l *truth.Log) []Sample {
	stacks := p.stacks()
	var out []Sample
	mono := p.StartTime * 1000
	for i, id := range p.Samples {
		mono += p.TimeDeltas[i] * 1000
		stack := stacks[id]
		if len(stack) == 0 || stack[0].F == idle {
			continue
		}
		s := Sample{T: l.Unix(mono), PID: l.Header.PID, TID: l.Header.PID, State: "js", Stop: "root", Stack: stack}
		if stack[0].F == collector {
			s.State = "gc"
		}
		out = append(out, s)
	}
	return out
}

// stacks maps the id of each node to its frames, leaf first. A node follows its parent; a child that is unknown or
// listed twice is left out.
func (p *CPUProfile) stacks() map[int][]Frame {
	nodes, parent := map[int]*profileNode{}, map[int]int{}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		nodes[n.ID] = n
		for _, child := range n.Children {
			parent[child] = n.ID
		}
	}
	stacks := map[int][]Frame{}
	for _, n := range p.Nodes {
		above, ok := parent[n.ID]
		if !ok {
			continue // the root, which is no frame
		}
		stacks[n.ID] = append([]Frame{n.frame()}, stacks[above]...)
	}
	return stacks
}

func (n *profileNode) frame() Frame {
	f := Frame{F: n.CallFrame.FunctionName, File: n.file(), Kind: "js"}
	if strings.HasPrefix(f.F, "(") {
		f.Kind = "marker" // (idle), (program), (garbage collector)
	}
	return f
}

// file returns the script's name: the path of a file: URL. For code without one it is evalAt, as the profile does not
// have the place.
func (n *profileNode) file() string {
	u, err := url.Parse(n.CallFrame.URL)
	switch {
	case n.CallFrame.URL == "":
		return evalAt
	case err == nil && u.Scheme == "file":
		return u.Path
	}
	return n.CallFrame.URL
}

// Lines counts the ticks of leaves that are functions of the log, and those of them at a line of the function.
func (p *CPUProfile) Lines(l *truth.Log) (v Share) {
	leaves := map[[2]string]truth.Frame{}
	for _, i := range l.Intervals {
		if len(i.Stack) > 0 {
			leaves[[2]string{i.Stack[0].Function, i.Stack[0].File}] = i.Stack[0]
		}
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		file := n.file()
		if file == evalAt {
			file = ""
		}
		f, ok := leaves[[2]string{n.CallFrame.FunctionName, file}]
		if !ok {
			continue
		}
		for _, t := range n.PositionTicks {
			v.Whole += t.Ticks
			if t.Line >= f.First && t.Line <= f.Last {
				v.Part += t.Ticks
			}
		}
	}
	return v
}
