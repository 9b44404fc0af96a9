package walk

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

var keepRecordings = flag.Bool("record", false, "write testdata/recordings anew, for each Node of test/nodes.json")

// walkProgram stands still on a stack of many kinds of frame.
const walkProgram = "testdata/walk.js"

func TestMain(m *testing.M) { os.Exit(bpftest.Main(m)) }

// TestWalkLive stops each Node on a stack of many kinds of frame. The walk in Go over the process's memory must find
// the functions that the script reports, each at its line and column, and reach the thread's first frame; over a
// recording of a few pages it must find the same frame for frame, and so must the BPF program.
func TestWalkLive(t *testing.T) {
	p := bpftest.Load(t)
	if *keepRecordings {
		clearEnvironment()
	}
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			th := stopped(t, v.Version, walkProgram)
			want := th.walk(th.mem)
			if want.Stop != stack.StopRoot || want.Resumed {
				t.Errorf("stop %d, resumed %v", want.Stop, want.Resumed)
			}
			if diff := cmp.Diff(th.says.Stack, th.sites(want)); diff != "" {
				t.Errorf("functions, by the script itself and by the walk: %s", diff)
			}
			r := recordThread(t, p, th)
			if *keepRecordings {
				th.keep(t, r, v.Version)
			}
			agreeRecorded(t, p, th, r, want)
		})
	}
}

// agreeRecorded compares both walks over what was recorded of a live thread with that over the thread's own memory.
func agreeRecorded(t *testing.T, p *bpftest.Program, live *thread, r *memory.Recorder, want stack.Walk) {
	t.Helper()
	if diff := cmp.Diff(want, live.walk(&r.Recording)); diff != "" {
		t.Errorf("Go over the recording: %s", diff)
	}
	kept := *live
	kept.mem = &r.Recording
	agree(t, p, &kept, r.Pages, want)
}

// agree compares what the BPF program finds in a recording with the walk in Go, and with the labels that the script has
// set.
func agree(t *testing.T, p *bpftest.Program, th *thread, pages map[uint64][]byte, want stack.Walk) {
	t.Helper()
	s := inKernel(t, p, th).sample(t, pages)
	if diff := cmp.Diff(want, s.walk); diff != "" {
		t.Errorf("BPF over the recording: %s", diff)
	}
	if !th.layout.Has(layout.IsolateTLS) {
		return // the isolate is the value of a key, of which a recording says nothing
	}
	labels := []pprofx.Label{{Key: "route", Str: "/basket/:id"}, {Key: "user", Num: 41}}
	if major, _, _ := strings.Cut(th.layout.Node, "."); major < "24" {
		labels = labels[1:] // an AsyncLocalStorage has no name
	}
	if diff := cmp.Diff(labels, s.labels); diff != "" {
		t.Errorf("labels: %s", diff)
	}
}

// sites are the functions of testdata/walk.js on a walked stack, leaf first.
func (th *thread) sites(w stack.Walk) (sites []site) {
	for frame := range logical(th.resolver(th.mem), w) {
		if filepath.Base(frame.File) == "walk.js" {
			sites = append(sites, site{frame.Name, frame.Line, frame.Column})
		}
	}
	return sites
}

// clearEnvironment leaves what it takes to find Node: the rest would be in recordings.
func clearEnvironment() {
	keep := map[string]string{"HOME": os.Getenv("HOME"), "PATH": os.Getenv("PATH")}
	os.Clearenv()
	for name, value := range keep {
		os.Setenv(name, value)
	}
}

// versions are those that a recording is kept of.
func versions(t *testing.T) (all []string) {
	files, err := filepath.Glob(filepath.Join(recordings, "*.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, f := range files {
		all = append(all, strings.TrimSuffix(filepath.Base(f), ".gz"))
	}
	return all
}
