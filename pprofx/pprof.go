package pprofx

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// WritePprof writes a snapshot as a gzipped profile.proto, which `go tool pprof` reads.
//
// Each sample has two values, samples/count and cpu/nanoseconds; cpu is the default. Samples with the same stack,
// labels, process, thread and VM state are one. Besides the labels of the request they have thread_name, thread_id,
// pid and vm_state. The comments (`go tool pprof -comments`) have one line for each lost reason, and one for what each
// process says of itself.
//
// An inlined function is a line of the location of the function it is inlined in. The mapping of a frame is the file
// that holds its code; JIT-compiled code has the mapping [v8], so `-show '\[v8\]'` shows JavaScript only.
// The system name of a function is its kind and name, js:main: functions that differ in kind stay apart when profiles
// are merged, and pprof does not take the names of JavaScript for mangled C++.
func WritePprof(w io.Writer, s *Snapshot) error {
	return writePprof(w, s, pprofLabels{threadName: keyThreadName, threadID: keyThreadID})
}

func writePprof(w io.Writer, s *Snapshot, labels pprofLabels) error {
	if err := s.Check(); err != nil {
		return err
	}
	p := newPprofWriter(s, labels).profile()
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("write pprof: %w", err)
	}
	return p.Write(w)
}

type pprofWriter struct {
	s         *Snapshot
	p         *profile.Profile
	locations *pprofLocations
	stacks    []*pprofStack // by index into s.Stacks; nil until a row uses the stack
	sameStack map[string]*pprofStack
	samples   map[pprofKey]*profile.Sample
	labels    pprofLabels
}

// pprofStack is a stack as pprof shows it. Stacks that differ only in what pprof cannot express, such as the tier, are
// the same.
type pprofStack struct{ locations []*profile.Location }

type pprofKey struct {
	stack    *pprofStack
	labels   int32
	pid, tid int32
	state    State
	thread   int32
}

func newPprofWriter(s *Snapshot, labels pprofLabels) *pprofWriter {
	p := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		DefaultSampleType: "cpu",
		PeriodType:        &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:            s.Period,
		TimeNanos:         s.Start,
		DurationNanos:     s.End - s.Start,
		Comments:          pprofComments(s),
	}
	return &pprofWriter{
		s: s, p: p,
		locations: newPprofLocations(p),
		stacks:    make([]*pprofStack, len(s.Stacks)),
		sameStack: make(map[string]*pprofStack),
		samples:   make(map[pprofKey]*profile.Sample),
		labels:    labels,
	}
}

func pprofComments(s *Snapshot) []string {
	var lines []string
	for _, reason := range s.LostReasons() {
		lines = append(lines, valid(fmt.Sprintf("lost: %d %s", s.Lost[reason], reason)))
	}
	if n := s.Other(); n > 0 {
		lines = append(lines, fmt.Sprintf("stack left out: %d %s", n, OtherFunction))
	}
	for _, pid := range slices.Sorted(maps.Keys(s.Processes)) {
		if about := s.Processes[pid].about(); about != "" {
			lines = append(lines, valid(fmt.Sprintf("process %d:%s", pid, about)))
		}
	}
	return lines
}

// about returns what a process says of itself, as " KEY=VALUE" one after the other.
func (p Process) about() string {
	var b strings.Builder
	if p.Service != "" {
		fmt.Fprintf(&b, " service.name=%s", p.Service)
	}
	for _, l := range p.Attributes {
		if l.Str != "" {
			fmt.Fprintf(&b, " %s=%s", l.Key, l.Str)
		} else {
			fmt.Fprintf(&b, " %s=%d", l.Key, l.Num)
		}
	}
	return b.String()
}

func (w *pprofWriter) profile() *profile.Profile {
	w.locations.putFirst(mainExecutable(w.s), w.s.Frames)
	for i := range w.s.Rows {
		sample := w.sample(&w.s.Rows[i])
		sample.Value[0]++
		sample.Value[1] += w.s.Period
	}
	return w.p
}

func (w *pprofWriter) sample(r *Row) *profile.Sample {
	key := pprofKey{w.stack(r.Stack), r.Labels, r.PID, r.TID, r.State, r.Thread}
	sample := w.samples[key]
	if sample == nil {
		sample = &profile.Sample{Location: key.stack.locations, Value: make([]int64, 2)}
		w.labels.add(sample, w.s, r)
		w.samples[key] = sample
		w.p.Sample = append(w.p.Sample, sample)
	}
	return sample
}

func (w *pprofWriter) stack(i int32) *pprofStack {
	if w.stacks[i] != nil {
		return w.stacks[i]
	}
	locations, key := w.locations.ofStack(framesOf(w.s, i))
	if w.sameStack[key] == nil {
		w.sameStack[key] = &pprofStack{locations}
	}
	w.stacks[i] = w.sameStack[key]
	return w.stacks[i]
}

// framesOf returns the frames of stack i, leaf first.
func framesOf(s *Snapshot, i int32) []*Frame {
	frames := make([]*Frame, len(s.Stacks[i]))
	for j, f := range s.Stacks[i] {
		frames[j] = s.Frames[f]
	}
	return frames
}

// mainExecutable returns the executable of the process with the most samples, the lower pid of
// two with equal counts, or "" if none is known.
func mainExecutable(s *Snapshot) string {
	samples := make(map[int]int)
	for i := range s.Rows {
		samples[int(s.Rows[i].PID)]++
	}
	executable, most := "", 0
	for _, pid := range slices.Sorted(maps.Keys(s.Processes)) {
		if samples[pid] > most {
			executable, most = s.Processes[pid].Executable, samples[pid]
		}
	}
	return executable
}
