package otlp

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

const start, end = int64(1_760_000_000_000_000_000), int64(1_760_000_010_000_000_000)

// randomSnapshot makes a snapshot as a profiler would: an inlined frame is followed by the rest of its physical frame.
func randomSnapshot(seed uint64, rows int) *pprofx.Snapshot {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &pprofx.Snapshot{
		Start: start, End: end, Period: 10_101_010,
		Processes: map[int]pprofx.Process{
			1: {Executable: "/usr/bin/node", Service: "shop", Container: "c0ffee"},
			2: {Executable: "/opt/app", Attributes: []pprofx.Label{
				{Key: "service.version", Str: "1.2"}, {Key: "shard", Num: 7}, {Key: "host.name", Str: "pod"},
			}},
		},
		Lost: map[pprofx.LostReason]int64{pprofx.LostRingFull: 7, pprofx.LostExited: int64(seed)},
	}
	physical := physicalFrames(r, s)
	stacks := map[string]bool{}
	for range 1 + rows/3 {
		var stack []int32
		for range 1 + r.IntN(30) {
			stack = append(stack, physical[r.IntN(len(physical))]...)
		}
		if key := fmt.Sprint(stack); !stacks[key] {
			stacks[key] = true
			s.Stacks = append(s.Stacks, stack)
		}
	}
	s.LabelSets = randomLabels(r)
	s.Threads = []string{"node", "libuv-worker", ""}
	for range rows {
		s.Rows = append(s.Rows, randomRow(r, s))
	}
	slices.SortFunc(s.Rows, func(a, b pprofx.Row) int { return int(a.Time - b.Time) })
	return s
}

func randomRow(r *rand.Rand, s *pprofx.Snapshot) pprofx.Row {
	return pprofx.Row{
		Time:   start + r.Int64N(end-start),
		Stack:  int32(r.IntN(len(s.Stacks))),
		Labels: int32(r.IntN(len(s.LabelSets))),
		PID:    int32(1 + r.IntN(3)),
		TID:    int32(100 + r.IntN(3)),
		CPU:    uint16(r.IntN(2)),
		Start:  r.Int64N(2) * (start - r.Int64N(1e12)),
		Turn:   uint32(r.IntN(2)) * r.Uint32(),
		State:  pprofx.State(r.IntN(6)),
		Thread: int32(r.IntN(3)),
		Stop:   []pprofx.StopReason{pprofx.StopRoot, pprofx.StopDepth}[r.IntN(2)],
	}
}

// physicalFrames adds frames to s and returns them in groups that belong together.
func physicalFrames(r *rand.Rand, s *pprofx.Snapshot) [][]int32 {
	var groups [][]int32
	index := map[pprofx.Frame]int32{}
	add := func(f pprofx.Frame) int32 {
		if _, ok := index[f]; !ok {
			index[f] = int32(len(s.Frames))
			s.Frames = append(s.Frames, &f)
		}
		return index[f]
	}
	for range 80 {
		f := randomFrame(r)
		var group []int32
		for range max(0, r.IntN(6)-3) {
			g := f
			g.Inlined, g.Function, g.Line = true, fmt.Sprintf("inlined%d", r.IntN(4)), r.IntN(9)
			group = append(group, add(g))
		}
		groups = append(groups, append(group, add(f)))
	}
	return groups
}

func randomFrame(r *rand.Rand) pprofx.Frame {
	f := pprofx.Frame{Function: fmt.Sprintf("f%d", r.IntN(4)), Kind: pprofx.Kind(r.IntN(8))}
	switch f.Kind {
	case pprofx.JS:
		f.File, f.Line, f.Column = fmt.Sprintf("file:///app/%d.js", r.IntN(2)), r.IntN(2), r.IntN(2)
		f.Tier = pprofx.Tier(1 + r.IntN(4))
	case pprofx.Native, pprofx.Builtin:
		f.Module, f.BuildID = "/usr/bin/node", []string{"", "abc1", "def2"}[r.IntN(3)]
		f.Address = uint64(r.IntN(3)) << 40
		if r.IntN(4) == 0 { // as in a library that is stripped
			f.Function = ""
		}
	case pprofx.Kernel:
		f.Module, f.Address = "[kernel]", ^uint64(r.IntN(2))
	}
	return f
}

func randomLabels(r *rand.Rand) [][]pprofx.Label {
	sets := [][]pprofx.Label{nil}
	seen := map[string]bool{"[]": true}
	for range 20 {
		var set []pprofx.Label
		for _, l := range []pprofx.Label{
			{Key: "bytes", Num: int64(r.IntN(3)), Unit: []string{"", "By"}[r.IntN(2)]},
			{Key: "http.route", Str: fmt.Sprintf("/users/%d", r.IntN(3))},
			{Key: "span_id", Str: []string{"b7ad6b7169203331", "00f067aa0ba902b7", "short"}[r.IntN(3)]},
			{Key: "tenant", Str: []string{"acme", "日本"}[r.IntN(2)]},
			{Key: "trace_id", Str: []string{"4bf92f3577b34da6a3ce929d0e0e4736", "zz"}[r.IntN(2)]},
		} {
			if r.IntN(4) > 0 {
				set = append(set, l)
			}
		}
		if key := fmt.Sprint(set); !seen[key] {
			seen[key] = true
			sets = append(sets, set)
		}
	}
	return sets
}

// hostile breaks what a snapshot promises: bytes that are no UTF-8, negative lines, inlined frames anywhere, labels
// with the names of the package's own attributes, an empty stack.
func hostile(seed uint64) *pprofx.Snapshot {
	r := rand.New(rand.NewPCG(seed, 2))
	s := randomSnapshot(seed, 200)
	for _, f := range s.Frames {
		f.Inlined = r.IntN(2) == 0
		f.Line -= r.IntN(3)
		f.Column = -f.Column
		f.Function = []string{"", "a\xff", "a\xfe", "a\ufffd"}[r.IntN(4)]
	}
	for i, set := range s.LabelSets {
		s.LabelSets[i] = append(slices.Clip(set),
			pprofx.Label{Key: "thread.id", Str: "1"}, pprofx.Label{Key: "process.context.label.thread.id", Str: "2"},
			pprofx.Label{Key: "", Str: "3"}, pprofx.Label{Key: "", Str: "4"}, pprofx.Label{Key: "\xff", Str: "\xfe"},
			pprofx.Label{Key: "hotspan.stop", Num: 5, Unit: "\xff"})
	}
	s.Stacks = append(s.Stacks, nil)
	s.Threads = append(s.Threads, "\xff")
	s.Rows[0].Stack, s.Rows[0].Thread, s.Rows[0].Stop = int32(len(s.Stacks)-1), 3, pprofx.StopReason(255)
	s.Lost[pprofx.LostReason(255)] = 1
	s.Processes[3] = pprofx.Process{Executable: "/bin/\xff", Service: "\xfe"}
	return s
}
