package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/viewers"
)

func TestPath(t *testing.T) {
	start := time.Date(2026, 2, 3, 23, 5, 6, 0, time.FixedZone("", -3600)) // the next day in UTC
	for pattern, want := range map[string]string{
		"a.pb.gz":            "a.pb.gz",
		"%p/%t-%n.pb.gz":     "77/20260204T000506-0012.pb.gz",
		"100%%-%%p-%%%p%":    "100%-%p-%77%",
		"%x %P %":            "%x %P %",
		"%n%n":               "00120012",
		"hotspan-%t-%n.perf": "hotspan-20260204T000506-0012.perf",
	} {
		s := &fileSink{pattern: pattern, start: start, pid: 77}
		if diff := cmp.Diff(want, s.path(12)); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
	if got := (&fileSink{pattern: "%n"}).path(123456); got != "123456" {
		t.Errorf("a large number: %s", got)
	}
}

// snapshot has two samples of one frame.
func snapshot(t *testing.T) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(0, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(2) {
		b.Add(&pprofx.Sample{Time: 5 + i, PID: 1, TID: 1, Stop: pprofx.StopRoot,
			Stack: []*pprofx.Frame{{Function: "work"}}})
	}
	return b.Cut(100)
}

func TestFileSink(t *testing.T) {
	dir := t.TempDir()
	s := &fileSink{pattern: filepath.Join(dir, "%n.txt"), format: pprofx.Collapsed}
	for range 2 {
		if err := s.Write(context.Background(), snapshot(t)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"0001.txt", "0002.txt"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(b), "work 2\n") {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 || s.last != filepath.Join(dir, "0002.txt") {
		t.Errorf("%v, last %s", entries, s.last)
	}
}

func TestFileSinkFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "taken.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"taken.txt", "no/folder.txt"} {
		s := &fileSink{pattern: filepath.Join(dir, name), format: pprofx.Collapsed}
		err := s.Write(context.Background(), snapshot(t))
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, name)) || s.last != "" {
			t.Errorf("%s: %v, last %q", name, err, s.last)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%v are left", entries)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full to stand for a full disk")
	}
	s := &fileSink{pattern: "/dev/full", format: pprofx.Collapsed}
	if err := s.Write(context.Background(), snapshot(t)); !errors.Is(err, unix.ENOSPC) || s.last != "" {
		t.Errorf("full disk: %v, last %q", err, s.last)
	}
	if info, err := os.Lstat("/dev/full"); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Errorf("the device is %v, %v", info, err)
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err     error
		capable bool
		want    string
	}{
		{errors.New("x"), false, "^x$"},
		{unix.EPERM, false, `^operation not permitted\nhotspan needs CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE: ` +
			`.*setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep /`},
		{os.ErrPermission, false, `CAP_BPF`},
		{unix.EPERM, true, `^operation not permitted\n` +
			`hotspan has CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE: hotspan doctor says more$`},
		{unix.ENOSYS, true, `\nthis kernel has no BPF`},
	} {
		got := explainTo(c.err, c.capable)
		if !regexp.MustCompile(c.want).MatchString(got.Error()) || !errors.Is(got, c.err) {
			t.Errorf("%v: %v, want %s", c.err, got, c.want)
		}
	}
}

// usage is what hotspan itself used: the only part of the closing text that a test cannot know.
var usage = regexp.MustCompile(`(?m)^hotspan itself: [0-9]+\.[0-9]{2} s CPU, [0-9]+ MiB memory`)

func TestClosing(t *testing.T) {
	start := time.Unix(1000, 0)
	full := agent.Stats{
		Start: start, End: start.Add(10040 * time.Millisecond), Taken: 2000, Samples: 1990, Written: 1985,
		Lost:   map[pprofx.LostReason]int64{pprofx.LostRingFull: 10, pprofx.LostExited: 5},
		ToRoot: 1791, WithJS: 1000, Named: 999, Requests: 300, Labelled: 200,
		NoLine: 4, Learning: 7, Unreadable: 2, BadLabels: 1, NoHooks: 9, SnapshotsLost: 3,
		SourceMaps: sourcemaps.Stats{Loaded: 5, Missing: 1, Remote: 2, Broken: 3, TooLarge: 4, Late: 6},
		Unmatched:  []labels.Unmatched{{Label: "tenant", Seen: []string{"id", "user"}}, {Label: "shop"}},
	}
	idle := agent.Stats{Start: start, End: start.Add(2 * time.Second), SourceMaps: sourcemaps.Stats{Loaded: 5}}
	for _, c := range []struct {
		name  string
		stats agent.Stats
		files *fileSink
		want  string
	}{
		{"all there is", full, &fileSink{last: "x.pb.gz", format: pprofx.Pprof},
			`2000 samples taken in 10.0 s = 1985 written + 15 lost (process exited 5, ring buffer full 10)
to the thread's first frame 90.0 %, all JavaScript named 99.9 % (without lines 4), ` +
				`of samples in requests labelled 66.7 % ` +
				`(async_hooks not found 9, bad values 1, learning 7, unreadable 2)
hotspan itself
label tenant matched nothing; properties seen in stores: id, user
label shop matched nothing; properties seen in stores: none, no store was current in any sample
source maps not used: broken 3, too large 4, not found 1, on servers 2, not yet read for 6 samples (-v names them)
3 snapshots lost by outputs that were too slow
wrote x.pb.gz
next: go tool pprof -filefunctions -top x.pb.gz
      go tool pprof -tagroot http.route -http 127.0.0.1:8080 x.pb.gz
`},
		{"over limits", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, Samples: 20, Written: 18,
			Lost: map[pprofx.LostReason]int64{pprofx.LostFull: 2}},
			&fileSink{last: "x.txt", left: pprofx.LeftOut{Stacks: 4, IDs: 5, Labels: 6, Samples: 7}},
			`20 samples taken in 1.0 s = 11 written + 9 lost (full 9)
to the thread's first frame 0.0 %, all JavaScript named -, of samples in requests labelled -
hotspan itself
left out of the file, over its limits: the stacks of 4 samples, the ids of 5, the labels of 6
wrote x.txt
`},
		{"full disk", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, Samples: 20, Written: 20},
			&fileSink{unwritten: 12}, `20 samples taken in 1.0 s = 8 written + 12 lost (not written 12)
to the thread's first frame 0.0 %, all JavaScript named -, of samples in requests labelled -
hotspan itself
`},
		{"one thread", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, Samples: 20, Written: 20},
			&fileSink{last: "x.cpuprofile", format: viewers.CPUProfile, left: pprofx.LeftOut{OtherThreads: 5}},
			`20 samples taken in 1.0 s = 15 written + 0 lost + 5 of other threads, for which the format has no room
to the thread's first frame 0.0 %, all JavaScript named -, of samples in requests labelled -
hotspan itself
wrote x.cpuprofile
next: code x.cpuprofile
`},
		{"idle", idle, &fileSink{last: "x.txt", format: pprofx.Collapsed},
			`0 samples taken in 2.0 s = 0 written + 0 lost
to the thread's first frame -, all JavaScript named -, of samples in requests labelled -
hotspan itself
wrote x.txt
no samples in 2s: the process used no CPU
`},
		{"all lost", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20,
			Lost: map[pprofx.LostReason]int64{pprofx.LostLate: 20}},
			&fileSink{last: "x.txt", format: pprofx.Collapsed},
			`20 samples taken in 1.0 s = 0 written + 20 lost (late 20)
to the thread's first frame -, all JavaScript named -, of samples in requests labelled -
hotspan itself
wrote x.txt
no samples in 1s: all that were taken are lost
`},
		{"none is a hit", agent.Stats{Start: start, End: start.Add(time.Second), Taken: 20, IdleWaits: 10, NoHit: 8,
			Hits: []trigger.Hits{{Text: "stall"}}, Lost: map[pprofx.LostReason]int64{pprofx.LostOverlapped: 2}},
			&fileSink{last: "x.txt", format: pprofx.Collapsed},
			`20 samples and waits in 1.0 s = 0 written + 10 idle + 8 that are no hit + 2 lost (another hit 2)
stall: 0 hits
to the thread's first frame -, all JavaScript named -, of samples in requests labelled -
hotspan itself
wrote x.txt
no samples in 1s: no probe was hit, but 2 were lost
`},
		{"nothing written", idle, &fileSink{}, `0 samples taken in 2.0 s = 0 written + 0 lost
to the thread's first frame -, all JavaScript named -, of samples in requests labelled -
hotspan itself
`},
	} {
		var b bytes.Buffer
		closing(console{&b}, &c.stats, c.files)
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

func TestLogger(t *testing.T) {
	var b bytes.Buffer
	for _, verbose := range []bool{false, true} {
		log := console{&b}.logger(verbose)
		log.Info("attached", "pid", 7)
		log.Warn("mappings not updated", "pid", 7, "why", errors.New("gone"))
		log.Error("snapshot not delivered")
		log.Debug("not learnt")
	}
	const each = "hotspan: attached, pid 7\nhotspan: warn: mappings not updated, pid 7: gone\n" +
		"hotspan: error: snapshot not delivered\n"
	if diff := cmp.Diff(each+each+"hotspan: not learnt\n", b.String()); diff != "" {
		t.Error(diff)
	}
}
