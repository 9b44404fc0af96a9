package viewers

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

var frames = map[string]*pprofx.Frame{
	"main":   {Function: "main", File: "/srv/app.js", Line: 3, Column: 1, Tier: pprofx.Ignition},
	"price":  {Function: "price", File: "/srv/price.js", Line: 12, Column: 7, Tier: pprofx.TurboFan},
	"price2": {Function: "price", File: "/srv/price.js", Line: 13, Column: 3, Tier: pprofx.TurboFan},
	"other":  {Function: "price", File: "/srv/other.js", Line: 12, Column: 7, Tier: pprofx.TurboFan},
	"arrow":  {Function: "<anonymous>", File: "file:///srv/a%20b.mjs", Line: 1, Column: 1},
	"parse":  {Function: "JsonParse", Kind: pprofx.Builtin},
	"loop":   {Function: "uv_run", Kind: pprofx.Native, Module: "/usr/bin/node", Address: 0x1f00},
	"read":   {Function: "vfs_read", Kind: pprofx.Kernel, Module: "[kernel]", Address: 1 << 63},
	"gc":     {Function: "[gc scavenge]", Kind: pprofx.Marker},
	"copy":   {Function: "v8::internal::Scavenger::Process()", Kind: pprofx.Native, Module: "/usr/bin/node"},
}

func stack(names ...string) []*pprofx.Frame {
	var list []*pprofx.Frame
	for _, name := range names {
		list = append(list, frames[name])
	}
	return list
}

// recording is two snapshots of 10 s: of a process with a busy main thread and a thread of V8, and of another one.
func recording(t *testing.T) []*pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(start, period)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(42, pprofx.Process{Service: "shop"})
	js := [][]*pprofx.Frame{
		stack("price", "main", "loop"), stack("price2", "main", "loop"), stack("other", "main", "loop"),
		stack("main", "loop"), stack("arrow", "arrow", "main", "loop"), stack("parse", "price", "main", "loop"),
		stack("read", "loop"),
	}
	gc := [][]*pprofx.Frame{stack("copy", "gc", "price", "main", "loop"), stack("copy", "gc", "main", "loop")}
	r := rand.New(rand.NewPCG(1, 2))
	for _, thread := range []struct {
		pid, tid int
		name     string
		share    float64 // of the time
	}{
		{42, 42, "MainThread", 0.9}, {42, 45, "V8 Worker", 0.2}, {7, 7, "other", 0.4},
		{7, 9, "other <worker> \xc3", 0.1},
	} {
		for at := int64(0); at < seconds*1e9-2*period; at += period {
			if busy := r.Float64() < thread.share; !busy {
				continue
			}
			s := pprofx.Sample{
				Time: start + at + r.Int64N(100_000), PID: thread.pid, TID: thread.tid, Thread: thread.name,
				State: pprofx.StateJS, Stack: js[r.IntN(len(js))],
			}
			// Neighbours are often of different requests, or of none.
			if n := at / (7 * period) % 4; n > 0 {
				s.Labels = []pprofx.Label{
					{Key: "http.route", Str: []string{"/cart", "/search"}[n%2]},
					{Key: "trace_id", Str: fmt.Sprint("id", n)},
				}
			}
			if r.IntN(10) == 0 {
				s.State, s.Stack = pprofx.StateGC, gc[r.IntN(len(gc))]
			}
			b.Add(&s)
		}
	}
	b.Lose(pprofx.LostRingFull, 12)
	first := b.Cut(start + seconds/2*1e9)
	b.Lose(pprofx.LostRingFull, 2)
	b.Lose(pprofx.LostExited, 2)
	return []*pprofx.Snapshot{first, b.Cut(start + seconds*1e9)}
}
