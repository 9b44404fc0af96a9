package viewers

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// cpuProfileWriter writes Profiler.Profile of the DevTools protocol, in microseconds of Unix time, as V8 itself writes
// it: one thread only. It is the main thread of the process with most samples, or if that has none, the process's
// thread with most. A node is a place with its callers; its callFrame has the line of the point of execution, not that
// on which the function begins, which a sample does not know. The collector is on top of the stack that asked for it.
// V8 has no member hotspan: it says which thread it is, and how many samples are not in the file.
type cpuProfileWriter struct {
	*recording
	to io.Writer
}

func newCPUProfileWriter(to io.Writer, max limits) *cpuProfileWriter {
	collector := map[pprofx.State]int32{pprofx.StateGC: collectorPlace}
	return &cpuProfileWriter{newRecording(max, view{states: collector}), to}
}

// LeftOut counts the samples whose stack is [other], those over the limit, and those of other threads.
func (w *cpuProfileWriter) LeftOut() pprofx.LeftOut {
	t := w.main()
	return pprofx.LeftOut{Stacks: t.other, Samples: w.full, OtherThreads: int64(w.kept - len(t.times))}
}

// main returns the thread that is written, an empty one if there is none.
func (w *cpuProfileWriter) main() *thread {
	threads := w.busiest()
	if len(threads) == 0 {
		return &thread{}
	}
	samples := map[process]int{}
	for _, t := range threads {
		samples[t.process] += len(t.times)
	}
	of := threads[0].process
	for _, t := range threads {
		if n := samples[t.process]; n > samples[of] || n == samples[of] && t.pid < of.pid {
			of = t.process
		}
	}
	if t, ok := w.threads[threadID{of, of.pid}]; ok {
		return t
	}
	return threads[slices.IndexFunc(threads, func(t *thread) bool { return t.process == of })]
}

// Close writes the file. Its first member is nodes, by which some readers recognise the format.
func (w *cpuProfileWriter) Close() error {
	out := bufio.NewWriter(w.to)
	t := w.main()
	tree := newCPUTree(w.recording, t)
	out.WriteString(`{"nodes":[`)
	nodes := list{to: out}
	for i := range tree.nodes {
		nodes.value(text(tree.protocol(i)))
	}
	out.WriteString(`],"samples":[`)
	samples, end := list{to: out}, int64(0)
	for node, at := range tree.samples(w.recording, t) {
		samples.number(int64(node) + 1)
		end = at
	}
	micros := func(at int64) int64 { return (w.start + at) / 1e3 }
	last := micros(0)
	fmt.Fprintf(out, `],"startTime":%d,"endTime":%d,"timeDeltas":[`, last, micros(end))
	deltas := list{to: out}
	for _, at := range tree.samples(w.recording, t) {
		deltas.number(micros(at) - last)
		last = micros(at)
	}
	fmt.Fprintf(out, `],"hotspan":%s}`, text(cpuProfileNote{
		t.pid, t.tid, t.name, t.service, len(t.times), w.kept - len(t.times), w.losses(),
	}))
	return out.Flush()
}

type cpuProfileNote struct {
	PID          int32    `json:"pid"`
	TID          int32    `json:"tid"`
	Thread       string   `json:"thread,omitempty"`
	Service      string   `json:"service,omitempty"`
	Samples      int      `json:"samples"`
	OtherThreads int      `json:"samplesOfOtherThreads"`
	Lost         []string `json:"lost,omitempty"`
}
