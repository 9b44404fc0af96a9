package viewers

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/hotspan/hotspan/pprofx"
)

// firefoxVersion is the version of the format (src/app-logic/constants.js of github.com/firefox-devtools/profiler). The
// viewers bring older files up to date themselves.
const firefoxVersion = 66

// firefoxWriter writes the processed format of the Firefox Profiler (src/types/profile.ts there), compressed by gzip.
// Times are in milliseconds since the start of the recording. A sample is at its own time and weighs 1; where a thread
// was not sampled for more than a period and a half, one without a stack and weight follows it after a period.
type firefoxWriter struct {
	*recording
	to io.Writer
}

func newFirefoxWriter(to io.Writer, max limits) *firefoxWriter {
	return &firefoxWriter{newRecording(max, view{
		code: true, requests: true,
		states: map[pprofx.State]int32{pprofx.StateGC: collectorPlace, pprofx.StateCompiler: compilerPlace},
	}), to}
}

// LeftOut counts the samples whose stack is [other], those that lack ids or labels, and those over the limit.
func (w *firefoxWriter) LeftOut() pprofx.LeftOut {
	left := w.left
	left.Samples = w.full
	for _, t := range w.threads {
		left.Stacks += t.other
	}
	return left
}

// Close writes the file.
func (w *firefoxWriter) Close() error {
	packed := gzip.NewWriter(w.to)
	out := bufio.NewWriter(packed)
	f := newFirefoxTables(w.recording)
	fmt.Fprintf(out, `{"meta":%s,"libs":%s,"pages":[],"counters":[],"shared":%s,"threads":[`,
		text(w.meta()), text(f.libs), text(f.shared()))
	threads, pids := list{to: out}, w.pids()
	for _, t := range w.busiest() {
		threads.comma()
		w.writeThread(out, f, t, pids[t.process])
	}
	out.WriteString("]}\n")
	return errors.Join(out.Flush(), packed.Close())
}

func (w *firefoxWriter) meta() any {
	type entry struct {
		Label  string `json:"label"`
		Format string `json:"format"`
		Value  string `json:"value"`
	}
	lost := []entry{}
	for _, l := range w.losses() {
		lost = append(lost, entry{"lost", "string", l})
	}
	return map[string]any{
		"preprocessedProfileVersion": firefoxVersion, "version": firefoxVersion, "product": "hotspan",
		"processType": 0, "stackwalk": 1, "debug": false, "symbolicated": true,
		"interval": float64(w.period) / 1e6, "startTime": float64(w.start) / 1e6,
		"profilingStartTime": 0, "profilingEndTime": float64(w.end-w.start) / 1e6,
		"sampleUnits": map[string]string{"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
		"categories":  firefoxCategories, "markerSchema": firefoxMarkers,
		"extra": []any{map[string]any{"label": "Samples", "entries": append(lost,
			entry{"samples", "string", strconv.Itoa(w.kept)})}},
	}
}

// pids returns what the file has as the pid of each process. The viewer takes equal ones to be of one process: of those
// that have had one pid the second is such as 7.1, as in the files of samply.
func (r *recording) pids() map[process]string {
	pids, earlier := map[process]string{}, map[int32]int{}
	for _, t := range slices.SortedFunc(maps.Values(r.threads), (*thread).begins) {
		if pids[t.process] != "" {
			continue
		}
		pids[t.process] = strconv.Itoa(int(t.pid))
		if n := earlier[t.pid]; n > 0 {
			pids[t.process] += fmt.Sprintf(".%d", n)
		}
		earlier[t.pid]++
	}
	return pids
}

// begins compares the times of first samples.
func (t *thread) begins(u *thread) int {
	return cmp.Or(cmp.Compare(t.times[0], u.times[0]), cmp.Compare(t.service, u.service))
}

func (w *firefoxWriter) writeThread(out *bufio.Writer, f *firefoxTables, t *thread, pid string) {
	fmt.Fprintf(out, `{"processType":"default","processName":%s,"processStartupTime":0,"processShutdownTime":null,`+
		`"registerTime":0,"unregisterTime":null,"pausedRanges":[],"name":%s,"isMainThread":%t,"pid":"%s","tid":%d,`+
		`"showMarkersInTimeline":true,"samples":{`,
		text(cmp.Or(t.service, pid)), text(t.name), t.pid == t.tid, pid, t.tid)
	w.writeSamples(out, f, t)
	fmt.Fprintf(out, `},"markers":%s}`, text(w.markers(f, t)))
}

// point is a sample of the file: one of the thread, or one without a stack at which a gap begins.
type point struct {
	at    int64 // nanoseconds since the start of the recording
	stack int32 // absent at a gap
	cpu   int64 // nanoseconds of CPU time since the point before
}

// points lists the samples of a thread, and where gaps begin.
func (r *recording) points(t *thread) iter.Seq[point] {
	return func(yield func(point) bool) {
		cpu := int64(0)
		for i, at := range t.times {
			if !yield(point{at, t.stacks[i], cpu}) {
				return
			}
			cpu = r.period
			if r.pauses(t, i) {
				if !yield(point{at + r.period, absent, cpu}) {
					return
				}
				cpu = 0
			}
		}
	}
}

// writeSamples writes the columns of the samples of a thread.
func (w *firefoxWriter) writeSamples(out *bufio.Writer, f *firefoxTables, t *thread) {
	length := 0
	column := func(name string, value func(to []byte, p point) []byte) {
		fmt.Fprintf(out, `"%s":[`, name)
		values := list{to: out}
		var b []byte
		length = 0
		for p := range w.points(t) {
			b = value(b[:0], p)
			values.value(b)
			length++
		}
		out.WriteString("],")
	}
	column("time", func(to []byte, p point) []byte { return strconv.AppendFloat(to, float64(p.at)/1e6, 'f', -1, 64) })
	column("threadCPUDelta", func(to []byte, p point) []byte { return strconv.AppendInt(to, p.cpu, 10) })
	column("weight", func(to []byte, p point) []byte {
		if p.stack == absent {
			return append(to, '0')
		}
		return append(to, '1')
	})
	column("stack", func(to []byte, p point) []byte {
		if p.stack == absent {
			return append(to, "null"...)
		}
		return strconv.AppendInt(to, int64(f.stackOf[p.stack]), 10)
	})
	fmt.Fprintf(out, `"weightType":"samples","length":%d`, length)
}
