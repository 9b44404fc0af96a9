package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/npm"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestAddonJobs: threads of libuv's pool and of an add-on have the context in which JavaScript started their jobs, by
// hotspan.h, wherever Node keeps stores.
func TestAddonJobs(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range addonRuns {
		if !*all && !slices.Contains([]string{"18.20.8", "24.21.0", "26.10.0"}, r.version) {
			continue
		}
		name := r.version
		if r.frame {
			name += "/frame"
		}
		t.Run(name, func(t *testing.T) {
			node, err := nodes.Path(r.version)
			if err != nil {
				t.Fatal(err)
			}
			var flags []string
			if r.frame {
				flags, _ = versionOf(node).AsyncContextFrame()
			}
			jobs := addon(t, node, "jobs.cc", "-I../../nodeaddon/include")
			p := start(t, node, "addon_jobs.js", flags, []string{"JOBS_ADDON=" + jobs,
				"HOTSPAN=" + filepath.Join(app, "node_modules/hotspan")})
			d := publishedFor()
			enough := int(d.Seconds() * 100)
			all := recordEnough(t, p.PID, 1997, 3*enough, 2*d)
			l := p.truth(t)
			threads := slices.DeleteFunc(all, func(s judge.Sample) bool { return s.TID == p.PID })
			compareLabels(t, threads, l, publishedLabels, bound{99.9, enough})
		})
	}
}

// TestAddonPool: jobs that Node gives to libuv's pool have the context of the package in which they were queued,
// whether it is a record or a text. As in TestPool, the first samples of a job may have none.
func TestAddonPool(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range addonRuns {
		if !*all && !slices.Contains([]string{"18.20.8", "24.21.0", "26.10.0"}, r.version) {
			continue
		}
		t.Run(r.version+"/"+r.form(), func(t *testing.T) {
			node, err := nodes.Path(r.version)
			if err != nil {
				t.Fatal(err)
			}
			var flags []string
			if r.frame {
				flags, _ = versionOf(node).AsyncContextFrame()
			}
			p := start(t, node, "pool.js", flags, []string{"WORK_ADDON=" + addon(t, node, "work.c"),
				"HOTSPAN=" + filepath.Join(app, "node_modules/hotspan")})
			var more []string
			if r.frame { // records are read whatever is asked for
				more = []string{"--labels", "none"}
			}
			samples := recordEnough(t, p.PID, 997, 2500, 3*time.Second, more...)
			l := p.truth(t)
			compareLabels(t, poolWork(t, samples, l, flags), l, poolPublished, bound{90, 1000})
		})
	}
}

func poolPublished(l *truth.Label) map[string]any {
	return map[string]any{"kind": l.Endpoint, "id": strconv.Itoa(l.Request), "user": l.User}
}

// TestAddonPoolHits is TestAddonPool where the thread that publishes the records has no samples: of hits of a function
// that only jobs call. Its first ones come faster than what they need is learned: those are counted.
func TestAddonPoolHits(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		p := start(t, node, "pool.js", flags, []string{"WORK_ADDON=" + addon(t, node, "work.c"),
			"HOTSPAN=" + filepath.Join(app, "node_modules/hotspan")})
		out := filepath.Join(t.TempDir(), "out.jsonl")
		r := run(t, "record", "-p", strconv.Itoa(p.PID), "-d", "3s", "--probe", "uprobe::HMAC_CTX_copy", "--labels",
			"none", "-o", out)
		if t.Logf("%s", r.Stderr); r.Code != 0 {
			t.Fatalf("hotspan ended with %d", r.Code)
		}
		samples := readSamples(t, out)
		if slices.ContainsFunc(samples, func(s judge.Sample) bool { return s.TID == p.PID }) {
			t.Error("the thread that publishes has samples")
		}
		for _, s := range samples {
			delete(s.Labels, pprofx.ProbeLabel)
		}
		l := p.truth(t)
		v := compareLabels(t, poolWork(t, samples, l, flags), l, poolPublished, bound{50, 1000})
		if n, counted := v.Right.Whole-v.Right.Part, unlabelledOf(r.Stderr); n > counted {
			t.Errorf("%d hits have no labels, hotspan counts %d", n, counted)
		}
	})
}
