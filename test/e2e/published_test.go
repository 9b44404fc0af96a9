package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// addon builds an add-on for Node.js from the sources in testdata.
func addon(t *testing.T, node, name string, arguments ...string) string {
	t.Helper()
	return live.Addon(t, node, filepath.Join("testdata", name), arguments...)
}

// publishedLabels returns the labels of a request that published.js or native_threads.js has published.
func publishedLabels(l *truth.Label) map[string]any {
	want := map[string]any{"trace_id": l.TraceID, "span_id": l.SpanID}
	for key, value := range map[string]string{"http.route": l.Route, "endpoint": l.Endpoint, "tenant": l.Tenant,
		"user": l.User} {
		if value != "" {
			want[key] = value
		}
	}
	return want
}

// publishedFor is how long to record each run: with -all, long enough for 100,000 samples in total.
func publishedFor() time.Duration {
	if *all {
		return 9 * time.Second
	}
	return 1200 * time.Millisecond
}

// TestPublished: contexts that a writer of each shipped layout publishes. Without -all, each version runs one of the
// writers in turn.
func TestPublished(t *testing.T) {
	t.Parallel()
	run := 0
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		publish := addon(t, node, "publish.c")
		for i, writer := range []string{"pprof-5.18", "pprof-5.19", "pprof-5.20"} {
			for j, mode := range []string{"plain", "gc"} {
				if *all || i == run%3 && j == run%2 {
					t.Run(writer+"/"+mode, func(t *testing.T) {
						testPublished(t, node, mode, flags, []string{"WRITER=" + writer, "PUBLISH_ADDON=" + publish})
					})
				}
			}
		}
		run++
	})
}

// TestPublishedLabels: custom labels that an add-on publishes as Polar Signals' package does.
func TestPublishedLabels(t *testing.T) {
	t.Parallel()
	run := 0
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		if run++; *all || run == 2 {
			labels := addon(t, node, "custom_labels.cc", "-std=c++20", "-mtls-dialect=gnu2", "-Wno-cast-function-type")
			testPublished(t, node, "gc", flags,
				[]string{"WRITER=custom-labels", "PUBLISH_ADDON=" + addon(t, node, "publish.c"),
					"LABELS_ADDON=" + labels})
		}
	})
}

func testPublished(t *testing.T, node, mode string, flags, env []string) {
	if mode == "gc" {
		flags = append(slices.Clone(flags), "--max-semi-space-size=1")
	} else {
		env = append(env, "THREAD=worker")
	}
	comparePublished(t, start(t, node, "published.js", flags, append(env, "MODE="+mode)))
}

// comparePublished records a program and compares: nothing may be wrong. (Of 133,353 samples one had no labels; it was
// counted as unreadable.)
func comparePublished(t *testing.T, p program) {
	t.Helper()
	d := publishedFor()
	enough := int(d.Seconds() * 30)
	samples := recordEnough(t, p.PID, 997, 3*enough, d)
	compareLabels(t, samples, p.truth(t), publishedLabels, bound{99.5, enough})
}

// TestPublishedThreads: contexts of threads that run no JavaScript, for each way to access a thread-local variable. The
// add-ons of a process have variables of the same name.
func TestPublishedThreads(t *testing.T) {
	t.Parallel()
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	publish := addon(t, node, "publish.c")
	for _, c := range []struct {
		name    string
		addons  []string // arguments to build each
		preload string   // of a library that is loaded with the program and has the variable
	}{
		{"of add-ons", []string{
			"-mtls-dialect=gnu2", "-mtls-dialect=gnu2 -DFILLER=65536", "-mtls-dialect=gnu", "-ftls-model=initial-exec",
			"-DLABELS -mtls-dialect=gnu2",
		}, ""},
		{"of a library loaded at start", []string{"-DVARIABLE=USE -mtls-dialect=gnu2"}, "-DVARIABLE=DEFINE_ONLY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var addons []string
			for _, arguments := range c.addons {
				addons = append(addons, addon(t, node, "threads.c", strings.Fields(arguments)...))
			}
			env := []string{"PUBLISH_ADDON=" + publish, "THREADS_ADDONS=" + strings.Join(addons, ":")}
			if c.preload != "" {
				env = append(env, "LD_PRELOAD="+addon(t, node, "threads.c", c.preload))
			}
			comparePublished(t, start(t, node, "native_threads.js", nil, env))
		})
	}
}

// TestPublishedLate: hotspan finds a process context that is published during a recording within seconds, if it gets a
// CPU, and from then on every label. The attributes of the process are in the profile.
func TestPublishedLate(t *testing.T) {
	t.Parallel()
	const most = 2500 * time.Millisecond
	var after time.Duration
	untilEnough(t, func(times int) bool {
		after = publishLate(t, times)
		return after <= most
	})
	if after > most {
		t.Errorf("labels come %v after the publication, want %v at most in one of four recordings", after, most)
	}
}

// never is when labels come that do not come in a recording.
const never = time.Hour

// publishLate publishes a process context during a recording, and returns how long after that the first sample has
// labels.
func publishLate(t *testing.T, times int) time.Duration {
	t.Helper()
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, node, "native_threads.js", nil, []string{
		"PUBLISH_ADDON=" + addon(t, node, "publish.c"),
		"THREADS_ADDONS=" + addon(t, node, "threads.c", "-mtls-dialect=gnu2"), "LATE=1",
	})
	dir := t.TempDir()
	published := make(chan time.Time, 1)
	go func() { // when the first snapshot is there
		for !fileExists(filepath.Join(dir, "0001.jsonl")) {
			time.Sleep(10 * time.Millisecond)
		}
		published <- time.Now()
		p.Process.Signal(syscall.SIGUSR2)
	}()
	pid := strconv.Itoa(p.PID)
	run(t, "record", "-p", pid, "-F", "199", "-d", fmt.Sprint(4*times, "s"), "--snapshot-every", "500ms", "-o",
		filepath.Join(dir, "%n.jsonl"))
	profile := filepath.Join(dir, "out.pb.gz")
	run(t, "record", "-p", pid, "-d", "100ms", "-o", profile)
	var samples []judge.Sample
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, file := range files {
		samples = append(samples, readSamples(t, file)...)
	}
	first := slices.IndexFunc(samples, func(s judge.Sample) bool { return len(s.Labels) > 0 })
	const enough = 60 // some are of no request, or in a collection
	if first < 0 || len(samples)-first < enough {
		t.Logf("of %d samples the first with labels is %d", len(samples), first)
		return never
	}
	after := time.Unix(0, samples[first].T).Sub(<-published)
	t.Logf("sample %d of %d has labels, %v after the publication", first, len(samples), after)
	if first == 0 || after < 0 {
		t.Errorf("sample %d has labels, %v after the publication, want a later one", first, after)
	}
	compareLabels(t, samples[first:], p.truth(t), publishedLabels, bound{100, 50})
	comments, err := exec.Command("go", "tool", "pprof", "-comments", profile).CombinedOutput()
	if want := "service.name=threads"; err != nil || !strings.Contains(string(comments), want) {
		t.Errorf("%v: comments %s, want %s in them", err, comments, want)
	}
	return after
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
