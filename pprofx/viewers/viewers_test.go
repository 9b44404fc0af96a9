package viewers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

const start = 1_795_177_646_475_589_646

var (
	run  = &pprofx.Frame{Function: "run", File: "/srv/a.js", Line: 3, Column: 5}
	work = &pprofx.Frame{Function: "work", File: "/srv/b.js", Line: 9, Column: 1}
	same = &pprofx.Frame{Function: "work", File: "/srv/b.js", Line: 9, Column: 1, Tier: pprofx.TurboFan}
	move = &pprofx.Frame{Function: "Move", Kind: pprofx.Native, Module: "/usr/bin/node", Address: 1}
)

// sample is one of process 7, at a time in milliseconds since start.
func sample(at int64, tid int, stack ...*pprofx.Frame) *pprofx.Sample {
	return &pprofx.Sample{Time: start + at*1e6, PID: 7, TID: tid, Thread: fmt.Sprint("t", tid), Stack: stack}
}

// cut is a snapshot for each of the times in milliseconds since start.
func cut(t *testing.T, samples []*pprofx.Sample, at ...int64) []*pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(start, 10e6)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(7, pprofx.Process{Service: "shop"})
	var list []*pprofx.Snapshot
	for _, end := range at {
		for len(samples) > 0 && samples[0].Time < start+end*1e6 {
			b.Add(samples[0])
			samples = samples[1:]
		}
		b.Lose(pprofx.LostRingFull, 2)
		list = append(list, b.Cut(start+end*1e6))
	}
	return list
}

func written(t *testing.T, w pprofx.Writer, to *bytes.Buffer, snapshots ...*pprofx.Snapshot) string {
	t.Helper()
	for _, s := range snapshots {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := to.Bytes()
	if unpacked, err := gzip.NewReader(bytes.NewReader(file)); err == nil {
		if file, err = io.ReadAll(unpacked); err != nil {
			t.Fatal(err)
		}
	}
	if !json.Valid(file) {
		t.Fatalf("this is not JSON: %s", file)
	}
	return strings.ReplaceAll(string(file), `},{"`, "},\n{\"")
}

// few are samples of two threads: neighbours, one late by 4 ms, gaps, a collection, and no stack.
func few() []*pprofx.Sample {
	collection := sample(60, 7, move, work)
	collection.State = pprofx.StateGC
	return []*pprofx.Sample{
		sample(2, 7, work, run), sample(12, 7, same, run), sample(25, 8, run), sample(26, 7, run), sample(44, 7),
		collection,
	}
}

func TestSpeedscope(t *testing.T) {
	want := `{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"hotspan",` +
		`"name":"hotspan: 6 samples, lost: 4 ring buffer full","activeProfileIndex":0,"shared":{"frames":[` +
		`{"name":"[other]"},
{"name":"[no stack]"},
{"name":"(garbage collector)"},
{"name":"(compiler)"},
{"name":"work","file":"/srv/b.js","line":9,"col":1},
{"name":"run","file":"/srv/a.js","line":3,"col":5},
{"name":"Move","file":"/usr/bin/node"}]},"profiles":[` +
		`{"type":"sampled","name":"shop t7 7/7","unit":"nanoseconds","startValue":0,` +
		`"samples":[[5,4],[5,4],[],[5],[],[1],[],[4,6],[]],` +
		`"weights":[10000000,10000000,6000000,10000000,8000000,10000000,6000000,10000000,30000000],` +
		`"endValue":100000000},
{"type":"sampled","name":"shop t8 7/8","unit":"nanoseconds","startValue":0,"samples":[[],[5],[]],` +
		`"weights":[25000000,10000000,65000000],"endValue":100000000}]}
`
	var file bytes.Buffer
	got := written(t, NewWriter(&file, Speedscope), &file, cut(t, few(), 30, 100)...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCPUProfile(t *testing.T) {
	frame := func(name, script, url string, line, column int) string {
		return fmt.Sprintf(`"callFrame":{"functionName":%q,"scriptId":%q,"url":%q,"lineNumber":%d,"columnNumber":%d}`,
			name, script, url, line, column)
	}
	want := `{"nodes":[{"id":1,` + frame("(root)", "0", "", -1, -1) + `,"hitCount":0,"children":[2,3,5,6]},
{"id":2,` + frame("(idle)", "0", "", -1, -1) + `,"hitCount":5},
{"id":3,` + frame("run", "1", "/srv/a.js", 2, 4) + `,"hitCount":1,"children":[4],` +
		`"positionTicks":[{"line":3,"ticks":1}]},
{"id":4,` + frame("work", "2", "/srv/b.js", 8, 0) + `,"hitCount":2,"positionTicks":[{"line":9,"ticks":2}]},
{"id":5,` + frame("[no stack]", "0", "", -1, -1) + `,"hitCount":1},
{"id":6,` + frame("work", "2", "/srv/b.js", 8, 0) + `,"hitCount":0,"children":[7]},
{"id":7,` + frame("Move", "3", "/usr/bin/node", -1, -1) + `,"hitCount":0,"children":[8]},
{"id":8,` + frame("(garbage collector)", "0", "", -1, -1) + `,"hitCount":1}],` +
		`"samples":[4,4,2,3,2,5,2,7,8,2,2],"startTime":1795177646475589,"endTime":1795177646575589,` +
		`"timeDeltas":[0,10000,10000,6000,10000,8000,10000,6000,0,10000,30000],` +
		`"hotspan":{"pid":7,"tid":7,"thread":"t7","service":"shop","samples":5,"samplesOfOtherThreads":1,` +
		`"lost":["4 ring buffer full"]}}`
	var file bytes.Buffer
	w := NewWriter(&file, CPUProfile)
	got := written(t, w, &file, cut(t, few(), 30, 100)...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if left := w.LeftOut(); left != (pprofx.LeftOut{OtherThreads: 1}) {
		t.Errorf("%+v", left)
	}
}

// TestMainThread: the main thread of the process with most samples, or the thread with most.
func TestMainThread(t *testing.T) {
	of := func(pid, tid, n int) (list []*pprofx.Sample) {
		for range n {
			list = append(list, &pprofx.Sample{Time: start, PID: pid, TID: tid})
		}
		return list
	}
	for want, threads := range map[[2]int32][][]*pprofx.Sample{
		{}:       nil,
		{5, 5}:   {of(4, 4, 3), of(5, 5, 1), of(5, 6, 3)},
		{8, 9}:   {of(8, 9, 2), of(8, 10, 1), of(7, 7, 2)},
		{11, 12}: {of(12, 12, 2), of(11, 12, 2)},
	} {
		w := newCPUProfileWriter(io.Discard, fullLimits)
		var all []*pprofx.Sample
		for _, list := range threads {
			all = append(all, list...)
		}
		if err := w.Add(cut(t, all, 1)[0]); err != nil {
			t.Fatal(err)
		}
		if got := w.main(); got.pid != want[0] || got.tid != want[1] {
			t.Errorf("%v, want %v", got.threadID, want)
		}
	}
}

// TestSpans: each sample has its whole period within half a period of its time, and nothing overlaps.
func TestSpans(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := newRecording(fullLimits, view{})
		r.period = 1 + rnd.Int64N(100)
		var one thread
		for at := rnd.Int64N(300); len(one.times) < 100; at += r.period + max(0, rnd.Int64N(300)-150) {
			one.add(at, fixedStacks+int32(len(one.times)))
		}
		r.end = one.times[99] + rnd.Int64N(300)
		at, n := int64(0), 0
		for s := range r.spans(&one) {
			if s.at != at || s.length <= 0 {
				t.Fatalf("seed %d: a span of %d from %d after one to %d", seed, s.length, s.at, at)
			}
			at += s.length
			if s.stack == absent {
				continue
			}
			if early := one.times[n] - s.at; early < 0 || early > r.period/2 || s.length != r.period ||
				s.stack != int32(n+fixedStacks) {
				t.Fatalf("seed %d: sample %d of %d has %+v, period %d", seed, n, one.times[n], s, r.period)
			}
			n++
		}
		if n != 100 || at < r.end || at > max(r.end, one.times[99]+r.period) {
			t.Fatalf("seed %d: %d samples until %d, want 100 until %d", seed, n, at, r.end)
		}
	}
}

// TestLimits: beyond a limit stacks become [other], or samples are left out. All are counted.
func TestLimits(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var samples []*pprofx.Sample
		for i := range 200 {
			s := sample(int64(i)*10, 7)
			for range 1 + rnd.IntN(3) {
				s.Stack = append(s.Stack, &pprofx.Frame{Function: fmt.Sprint("f", rnd.IntN(20))})
			}
			if rnd.IntN(3) == 0 {
				s.State = pprofx.StateGC
			}
			samples = append(samples, s)
		}
		snapshots := cut(t, samples, 500, 2000)
		max := limits{rnd.IntN(20), rnd.IntN(100), 0, 1 + rnd.IntN(300)}
		for _, format := range Formats {
			var file bytes.Buffer
			var w pprofx.Writer
			var kept *recording
			switch format {
			case Speedscope:
				speedscope := newSpeedscopeWriter(&file, max)
				w, kept = speedscope, speedscope.recording
			case CPUProfile:
				cpu := newCPUProfileWriter(&file, max)
				w, kept = cpu, cpu.recording
			case Firefox:
				firefox := newFirefoxWriter(&file, max)
				w, kept = firefox, firefox.recording
			}
			written(t, w, &file, snapshots...)
			other := int64(0)
			for _, id := range kept.threads[threadID{process{7, "shop"}, 7}].stacks {
				if kept.rootFirst(nil, id)[0] == otherPlace {
					other++
				}
			}
			want := pprofx.LeftOut{Stacks: other, Samples: int64(200 - kept.kept)}
			if w.LeftOut() != want || len(kept.places) > fixedPlaces+max.places ||
				len(kept.keys) > fixedStacks+max.stacks || kept.kept > max.samples ||
				want.Samples > 0 && kept.kept < max.samples {
				t.Fatalf("seed %d, %s, %+v: left out %+v, want %+v", seed, format, max, w.LeftOut(), want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	whole := cut(t, few(), 100)[0]
	for _, format := range Formats {
		w := NewWriter(io.Discard, format)
		if err := errors.Join(w.Add(whole), w.Close()); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if err := w.Add(&pprofx.Snapshot{Period: 11}); err == nil ||
			err.Error() != "snapshot: period 11 after one of 10000000: choose a time with one rate" {
			t.Errorf("%s: %v", format, err)
		}
		if err := w.Add(&pprofx.Snapshot{Start: 1}); err == nil || err.Error() != "snapshot: end 0 before start 1" {
			t.Errorf("%s: %v", format, err)
		}
		if err := NewWriter(fullDisk{}, format).Close(); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", format, err)
		}
		var empty bytes.Buffer
		written(t, NewWriter(&empty, format), &empty)
	}
	if NewWriter(io.Discard, "pprof") != nil || Extension("pprof") != "" {
		t.Error("pprof is a format of another package")
	}
}

var errDisk = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errDisk }
