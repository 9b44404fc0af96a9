// Package judge compares profiles with the logs of the profiled programs, sample by sample. It judges any profiler
// whose output can be read as samples: hotspan's JSON lines, and the .cpuprofile files of node --cpu-prof.
package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/hotspan/hotspan/test/truth"
)

// Sample is a line of hotspan's JSON lines.
type Sample struct {
	T      int64          `json:"t"` // Unix time in nanoseconds
	PID    int            `json:"pid"`
	TID    int            `json:"tid"`
	CPU    int            `json:"cpu"`
	Thread string         `json:"thread"`
	State  string         `json:"state"`
	Start  int64          `json:"start"`  // of the request by its tracer, Unix time in nanoseconds; 0: not known
	Weight int64          `json:"weight"` // of a wait: how long it took, in nanoseconds
	Hits   *int64         `json:"hits"`   // of a probe, which it stands for; nil: one
	Turn   uint32         `json:"turn"`   // of the event loop; 0: not known, or short
	Stop   string         `json:"stop"`
	Labels map[string]any `json:"labels"`
	Stack  []Frame        `json:"stack"` // leaf first

	// Snapshot is what is true of all samples of a snapshot. The first has it, or a line without a sample.
	Snapshot json.RawMessage `json:"snapshot"`

	// Clock is what Unix time was ahead of CLOCK_MONOTONIC when the sample was recorded, in nanoseconds; 0 where nobody
	// looked, and the first reading of the log must do.
	Clock int64 `json:"-"`
}

// Mono is when the sample was taken, CLOCK_MONOTONIC in nanoseconds.
func (s *Sample) Mono(l *truth.Log) int64 {
	if s.Clock == 0 {
		return l.Mono(s.T)
	}
	return s.T - s.Clock
}

// Frame is one frame of a sample.
type Frame struct {
	F       string `json:"f"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Kind    string `json:"kind"`
	Tier    string `json:"tier"`
	Inlined bool   `json:"inlined"`
	Mod     string `json:"mod"`
	Addr    string `json:"addr"`
}

// Functions of frames that stand for something unknown or missing.
const (
	codeGone   = "[code gone]"                // what was inlined in the frame below it is not known any more
	stale      = "[stale function]"           // a function whose name may be another's by now
	unverified = "[unverified function]"      // a function of a process whose layout is not confirmed yet
	unknown    = "[unknown]"                  // code that is in no file and in no area of V8's
	gap        = "[native frames not walked]" // native frames are missing
)

// evalAt is the start of the file name of evaluated code without a name; the place of the call of eval follows.
const evalAt = "eval at /"

// Is reports whether the frame is of a function. The truth has no file for evaluated code that has no name.
func (f Frame) Is(function, file string) bool {
	if file == "" && strings.HasPrefix(f.File, evalAt) {
		return f.F == function
	}
	return f.F == function && f.File == file
}

// IsUnknown reports whether a frame stands for unknown JavaScript.
func (f Frame) IsUnknown() bool { return f.F == codeGone || f.F == stale || f.F == unverified }

// JS returns the JavaScript frames of the stack, leaf first, and the frames that stand for unknown ones.
func (s *Sample) JS() []Frame {
	var out []Frame
	for _, f := range s.Stack {
		if f.Kind == "js" || f.F == codeGone {
			out = append(out, f)
		}
	}
	return out
}

// String returns the stack down to the third JavaScript frame, for messages.
func (s *Sample) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:", s.State, s.Stop)
	js := 0
	for _, f := range s.Stack {
		fmt.Fprintf(&b, "\n\t%s %s:%d:%d %s %s", f.F, f.File, f.Line, f.Col, f.Kind, f.Tier)
		if f.Kind == "js" {
			js++
		}
		if js == 3 {
			break
		}
	}
	return b.String()
}

// ReadSamples reads a file of JSON lines. An unknown field is an error, which names the sample.
func ReadSamples(file string) ([]Sample, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Sample
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	for d.More() {
		var s Sample
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("%s, sample %d: %w", file, len(out)+1, err)
		}
		if s.Stack != nil {
			out = append(out, s)
		}
	}
	return out, nil
}
