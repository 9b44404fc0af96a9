package page

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

const (
	period  = 10_101_010 // nanoseconds
	seconds = 20
	start   = 1_795_177_646_475_589_000
)

// hostile is a name that would do something if it were read as HTML.
const hostile = `</script><img src="x.png" onerror="window.hostile=1"><b>&quot;` + "\u202e\x1b[2J"

var frames = map[string]*pprofx.Frame{
	"main":    {Function: "main", File: "/srv/app.js", Line: 3, Column: 1, Tier: pprofx.Ignition},
	"main2":   {Function: "main", File: "/srv/app.js", Line: 4, Column: 1, Tier: pprofx.TurboFan},
	"price":   {Function: "price", File: "/srv/price.js", Line: 12, Column: 7, Tier: pprofx.TurboFan},
	"price2":  {Function: "price", File: "/srv/price.js", Line: 13, Column: 3, Tier: pprofx.TurboFan, Inlined: true},
	"other":   {Function: "price", File: "/srv/other.js", Line: 12, Column: 7, Tier: pprofx.Maglev},
	"walk":    {Function: "walk", File: "/srv/walk.js", Line: 1, Column: 1, Tier: pprofx.Sparkplug},
	"hostile": {Function: hostile, File: "/srv/" + hostile + ".js", Line: 1, Column: 1},
	"parse":   {Function: "JsonParse", Kind: pprofx.Builtin},
	"hash":    {Function: "sha256", File: "/srv/hash.wasm", Line: 1, Column: 99, Kind: pprofx.Wasm},
	"loop":    {Function: "uv_run", Kind: pprofx.Native, Module: "/usr/bin/node", Address: 0x1f00},
	"read":    {Function: "vfs_read", Kind: pprofx.Kernel, Module: "[kernel]", Address: 1 << 63},
	"gc":      {Function: "[gc scavenge]", Kind: pprofx.Marker},
	"copy":    {Function: "v8::internal::Scavenger::Process()", Kind: pprofx.Native, Module: "/usr/bin/node"},
}

func stack(names ...string) []*pprofx.Frame {
	var list []*pprofx.Frame
	for _, name := range names {
		list = append(list, frames[name])
	}
	return list
}

var (
	work = [][]*pprofx.Frame{
		stack("price", "main", "loop"), stack("price2", "price", "main2", "loop"), stack("other", "main", "loop"),
		stack("main", "loop"), stack("walk", "walk", "price", "walk", "main", "loop"), stack("hostile", "main", "loop"),
		stack("parse", "price", "main", "loop"), stack("read", "loop"), {},
		stack("parse", "hash", "price", "main", "loop"),
	}
	collection = [][]*pprofx.Frame{stack("copy", "gc", "price", "main", "loop"), stack("copy", "gc", "main", "loop")}
)

// recording is two snapshots of 10 s: of a process with a busy main thread and a thread of V8, and of another one.
func recording(t *testing.T) []*pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(start, period)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(42, pprofx.Process{Service: "shop", Executable: "/usr/bin/node"})
	b.SetProcess(7, pprofx.Process{Service: hostile})
	r := rand.New(rand.NewPCG(1, 2))
	for _, thread := range []struct {
		pid, tid int
		name     string
		share    float64 // of the time
	}{
		{42, 42, "MainThread", 0.9}, {42, 45, "V8Worker", 0.2}, {42, 46, "libuv-worker", 0.2}, {7, 7, "other", 0.4},
		{7, 9, hostile[:15] + "\xc3", 0.1},
	} {
		for at := int64(0); at < seconds*1e9-2*period; at += period {
			if busy := r.Float64() < thread.share; !busy {
				continue
			}
			s := sample(r, at)
			s.PID, s.TID, s.Thread = thread.pid, thread.tid, thread.name
			if s.TID == 42 {
				s.Turn = turn(at)
			}
			b.Add(s)
		}
	}
	b.Lose(pprofx.LostRingFull, 12)
	first := b.Cut(start + seconds/2*1e9)
	b.Lose(pprofx.LostRingFull, 2)
	b.Lose(pprofx.LostExited, 2)
	return []*pprofx.Snapshot{first, b.Cut(start + seconds*1e9)}
}

// turn numbers turns of 20 ms, but for one of 300 ms in both snapshots and one of 100 ms.
func turn(at int64) uint64 {
	const ms = 1_000_000
	switch {
	case at >= 9_900*ms && at < 10_200*ms:
		return 1e6
	case at >= 3_000*ms && at < 3_100*ms:
		return 2e6
	}
	return 1 + uint64(at/(20*ms))
}

// sample is one at a time since start. Neighbours are often of different requests, or of none.
func sample(r *rand.Rand, at int64) *pprofx.Sample {
	s := &pprofx.Sample{
		Time: start + at + r.Int64N(100_000), State: pprofx.StateJS, Stop: pprofx.StopRoot,
		Stack: work[r.IntN(len(work))],
	}
	if n := at / (7 * period); n%30 > 5 {
		s.Labels = []pprofx.Label{
			{Key: "http.route", Str: []string{"/cart", "/search", hostile}[n%3]},
			{Key: "items", Num: n % 4, Unit: "x"},
			{Key: "trace_id", Str: fmt.Sprintf("%032x", n)},
		}
	}
	switch r.IntN(10) {
	case 0:
		s.State, s.Stack = pprofx.StateGC, collection[r.IntN(len(collection))]
	case 1:
		s.State = pprofx.StateCompiler
	case 2:
		s.Stop = pprofx.StopNoRule
	}
	return s
}
