package record

import (
	"bytes"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/viewers"
)

// usage is what hotspan itself used: the only part of the closing text that a test cannot know.
var usage = regexp.MustCompile(`(?m)^hotspan itself: [0-9]+\.[0-9]{2} s CPU, [0-9]+ MiB memory`)

func TestClosing(t *testing.T) {
	start := time.Unix(1000, 0)
	full := agent.Stats{
		Start: start, End: start.Add(10040 * time.Millisecond), Taken: 2000, Samples: 1990, Written: 1985,
		Lost:   map[pprofx.LostReason]int64{pprofx.LostRingFull: 10, pprofx.LostExited: 5},
		ToRoot: 1791, WithJS: 1000, Named: 999, Requests: 300, Labelled: 200,
		NoLine: 4, Learning: 7, Unreadable: 2, BadLabels: 1, NoHooks: 9, SnapshotsLost: 3,
		SourceMaps: sourcemaps.Stats{Loaded: 5, Missing: 1, Remote: 2, Broken: 3, TooLarge: 4, Late: 6, Changed: 7},
		Unmatched:  []labels.Unmatched{{Label: "tenant", Seen: []string{"id", "user"}}, {Label: "shop"}},
	}
	idle := agent.Stats{Start: start, End: start.Add(2 * time.Second), SourceMaps: sourcemaps.Stats{Loaded: 5},
		Profiled: 1}
	for _, c := range []struct {
		name  string
		stats agent.Stats
		files *fileSink
		want  string
	}{
		{"all there is", full, &fileSink{last: "x.pb.gz", format: recording.Pprof, written: 1985, tag: "http.route"},
			`2000 samples taken in 10.0 s = 1985 written + 15 lost (process exited 5, ring buffer full 10)
stacks complete 90.0 %, all JavaScript named 99.9 % (without lines 4), ` +
				`samples in requests labelled 66.7 % ` +
				`(async_hooks not found 9, bad values 1, learning 7, unreadable 2)
hotspan itself
label tenant matched nothing; properties seen in stores: id, user
label shop matched nothing; properties seen in stores: none, no store was current in any sample
source maps not used: broken 3, too large 4, not found 1, on servers 2, none for changed scripts 7, ` +
				`not yet read for 6 samples (-v names them)
3 snapshots lost by outputs that were too slow
wrote x.pb.gz
next: go tool pprof -filefunctions -top x.pb.gz
      go tool pprof -tagroot http.route -http 127.0.0.1:8080 x.pb.gz
`},
		{"no route", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, Samples: 20, Written: 20,
			Requests: 10, Labelled: 10}, &fileSink{last: "x.txt", written: 20, noRoute: true},
			`20 samples taken in 1.0 s = 20 written + 0 lost
stacks complete 0.0 %, all JavaScript named -, samples in requests labelled 100.0 %
no sample has a route: hotspan contexts -p PID shows the stores; --label http.route=PATH makes a value the route
hotspan itself
wrote x.txt
`},
		{"no label", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, Samples: 20, Written: 20,
			Requests: 10, Learning: 9}, &fileSink{last: "x.txt", written: 20},
			`20 samples taken in 1.0 s = 20 written + 0 lost
stacks complete 0.0 %, all JavaScript named -, samples in requests labelled 0.0 % (learning 9)
no sample has a label: hotspan contexts -p PID shows the stores, and the --label options for them
hotspan itself
wrote x.txt
`},
		{"over limits", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, Samples: 20, Written: 18,
			Lost: map[pprofx.LostReason]int64{pprofx.LostFull: 2}},
			&fileSink{last: "x.txt", written: 18, left: pprofx.LeftOut{Stacks: 4, IDs: 5, Labels: 6, Samples: 7}},
			`20 samples taken in 1.0 s = 11 written + 9 lost (full 9)
stacks complete 0.0 %, all JavaScript named -, samples in requests labelled -
hotspan itself
left out of the file, over its limits: the stacks of 4 samples, the ids of 5, the labels of 6
wrote x.txt
`},
		{"full disk", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, Samples: 20, Written: 20},
			&fileSink{written: 8}, `20 samples taken in 1.0 s = 8 written + 12 lost (not written 12)
stacks complete 0.0 %, all JavaScript named -, samples in requests labelled -
hotspan itself
`},
		{"one thread", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, Samples: 20, Written: 20},
			&fileSink{last: "x.cpuprofile", format: viewers.CPUProfile, written: 20,
				left: pprofx.LeftOut{OtherThreads: 5}},
			`20 samples taken in 1.0 s = 15 written + 0 lost + 5 of other threads, for which the format has no room
stacks complete 0.0 %, all JavaScript named -, samples in requests labelled -
hotspan itself
wrote x.cpuprofile
next: code x.cpuprofile
`},
		{"idle", idle, &fileSink{last: "x.pb.gz", format: recording.Pprof},
			`0 samples taken in 2.0 s = 0 written + 0 lost
stacks complete -, all JavaScript named -, samples in requests labelled -
hotspan itself
wrote x.pb.gz
no samples in 2s: the process used almost no CPU (--wall shows what it waits for, hotspan doctor which others there are)
`},
		{"ended soon", agent.Stats{Start: start, End: start.Add(30 * time.Millisecond), Profiled: 1},
			&fileSink{last: "x.txt", format: recording.Collapsed},
			`0 samples taken in 0.0 s = 0 written + 0 lost
stacks complete -, all JavaScript named -, samples in requests labelled -
hotspan itself
wrote x.txt
no samples in 30ms: that is too short to tell what the process does
`},
		{"no process", agent.Stats{Start: start, End: start.Add(time.Second)},
			&fileSink{last: "x.txt", format: recording.Collapsed},
			`0 samples taken in 1.0 s = 0 written + 0 lost
stacks complete -, all JavaScript named -, samples in requests labelled -
hotspan itself
wrote x.txt
no samples in 1s: no Node.js process was profiled
`},
		{"all lost", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20,
			Lost: map[pprofx.LostReason]int64{pprofx.LostLate: 20}},
			&fileSink{last: "x.txt", format: recording.Collapsed},
			`20 samples taken in 1.0 s = 0 written + 20 lost (late 20)
stacks complete -, all JavaScript named -, samples in requests labelled -
hotspan itself
wrote x.txt
no samples in 1s: all that were taken are lost
`},
		{"none is a hit", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, IdleWaits: 10, NoHit: 8,
			Hits: []trigger.Hits{{Text: "stall"}}, Lost: map[pprofx.LostReason]int64{pprofx.LostOverlapped: 2}},
			&fileSink{last: "x.txt", format: recording.Collapsed},
			`20 samples and waits in 1.0 s = 0 written + 10 idle + 8 that are no hit + 2 lost (another hit 2)
stall: 0 hits
stacks complete -, all JavaScript named -, samples in requests labelled -
hotspan itself
wrote x.txt
no samples in 1s: no probe was hit, but 2 were lost
`},
		{"nothing written", idle, &fileSink{}, `0 samples taken in 2.0 s = 0 written + 0 lost
stacks complete -, all JavaScript named -, samples in requests labelled -
hotspan itself
`},
	} {
		var b bytes.Buffer
		closing(terminal.Console{Writer: &b}, &c.stats, c.files)
		if diff := cmp.Diff(c.want, usage.ReplaceAllString(b.String(), "hotspan itself")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestProgressLine(t *testing.T) {
	p := agent.Progress{Elapsed: 12400 * time.Millisecond, Samples: 1234, WithJS: 1000, Named: 995, Requests: 0,
		Lost: 3}
	if diff := cmp.Diff("  12s  1234 samples, 99.5 % named, - labelled, 3 lost", progressLine(p)); diff != "" {
		t.Error(diff)
	}
}

// TestClosingBeside: the closing lines have the sums of both.
func TestClosingBeside(t *testing.T) {
	hits := func(n, limited int64) trigger.Hits {
		lost := map[pprofx.LostReason]int64{pprofx.LostLimited: limited}
		return trigger.Hits{Text: "syscall:write", Counts: trigger.Counts{All: n, Lost: lost}}
	}
	stats := agent.Stats{
		Start: time.Unix(1000, 0), End: time.Unix(1002, 0), Taken: 350, Samples: 338, Written: 337, WrittenHits: 240,
		Hits: []trigger.Hits{hits(100, 10), hits(150, 0)},
		Lost: map[pprofx.LostReason]int64{pprofx.LostLimited: 10, pprofx.LostOverlapped: 2, pprofx.LostExited: 1},
	}
	var b bytes.Buffer
	files := &fileSink{last: "x.pb.gz", format: recording.Pprof, both: true, written: 337}
	closing(terminal.Console{Writer: &b}, &stats, files)
	const want = `350 samples and hits of probes in 2.0 s = 337 written + 13 lost (another hit 2, process exited 1, ` +
		`rate limit 10)
by the timer: 100 samples = 97 + 3 lost
by probes: 250 hits = 240 + 10 lost
syscall:write: 100 hits (rate limit 10)
syscall:write: 150 hits
stacks complete 0.0 %, all JavaScript named -, samples in requests labelled -
hotspan itself
wrote x.pb.gz
next: go tool pprof -filefunctions -top x.pb.gz
      go tool pprof -sample_index hits -tagroot hotspan.probe -http 127.0.0.1:8080 x.pb.gz
`
	if diff := cmp.Diff(want, usage.ReplaceAllString(b.String(), "hotspan itself")); diff != "" {
		t.Error(diff)
	}
}

// TestInKernel: what a sample costs is not what many idle waits have cost.
func TestInKernel(t *testing.T) {
	for _, c := range []struct {
		stats agent.Stats
		want  string
	}{
		{agent.Stats{InKernel: 4 * time.Millisecond, Samples: 100, Frames: 3200},
			"; in the kernel 40.0 µs a sample of 32 frames"},
		{agent.Stats{InKernel: 5448 * time.Microsecond, Samples: 1, IdleWaits: 284, Frames: 10},
			"; in the kernel 19.1 µs a sample or wait, idle ones too"},
		{agent.Stats{InKernel: time.Millisecond}, ""},
	} {
		if got := inKernel(&c.stats); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestHitsValue: what no sample stands for is said, and why.
func TestHitsValue(t *testing.T) {
	lost := func(reason pprofx.LostReason, n int64) map[pprofx.LostReason]int64 {
		return map[pprofx.LostReason]int64{reason: n}
	}
	for want, h := range map[string]trigger.Hits{
		"":          {},
		", value 7": {Counts: trigger.Counts{Weight: 7}, Sampled: 7},
		", 3.0 MiB, 1.0 MiB of it without a sample: 1.0 MiB another hit or ring buffer full": {
			Counts:  trigger.Counts{Weight: 3 << 20, Lost: lost(pprofx.LostOverlapped, 1)},
			Sampled: 2 << 20, Bytes: true},
		", value 9, value 5 of it without a sample: value 3 late, value 2 rate limit or ring buffer full": {
			Counts:  trigger.Counts{Weight: 9, LostWeight: lost(pprofx.LostLate, 3)},
			Sampled: 4, Every: true},
		", value 9, value 5 of it without a sample: value 5 late": {
			Counts:  trigger.Counts{Weight: 9, LostWeight: lost(pprofx.LostLate, 5)},
			Sampled: 4},
	} {
		if got := hitsValue(h, lost(pprofx.LostRingFull, 8)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if a := probeOf(trigger.Hits{Counts: trigger.Counts{Weight: 7}, Sampled: 4}, nil); a.ValueLost != 3 {
		t.Errorf("%+v", a)
	}
}
