package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
)

// addon builds an add-on for Node.js of the sources in testdata, against the headers of a version.
func addon(t *testing.T, node, name string, arguments ...string) string {
	t.Helper()
	compiler := "gcc"
	if strings.HasSuffix(name, ".cc") {
		compiler = "g++"
	}
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(name, filepath.Ext(name))+".node")
	headers := filepath.Join(filepath.Dir(filepath.Dir(node)), "include", "node")
	arguments = append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-I" + headers, "-o", out, filepath.Join("testdata", name)}, arguments...)
	if text, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", compiler, arguments, err, text)
	}
	return out
}

// publishedLabels are the labels that a request of published.js must have.
func publishedLabels(l *truth.Label) map[string]any {
	want := map[string]any{
		"trace_id": l.TraceID, "span_id": l.SpanID, "endpoint": l.Endpoint, "tenant": l.Tenant, "user": l.User,
	}
	if l.Route != "" {
		want["http.route"] = l.Route
	}
	return want
}

// publishedFor is how long each run is recorded: short, unless HOTSPAN_PUBLISHED_FOR says more.
func publishedFor(t *testing.T) time.Duration {
	d, err := time.ParseDuration(os.Getenv("HOTSPAN_PUBLISHED_FOR"))
	if err != nil {
		return 1500 * time.Millisecond
	}
	return d
}

// TestPublished: contexts that a writer of each shipped layout publishes, on each Node.js that has what it takes.
func TestPublished(t *testing.T) {
	for _, v := range nodes.Versions() {
		node, err := nodes.Path(v.Version)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(v.Version, "20.") {
			continue // no AsyncContextFrame
		}
		publish := addon(t, node, "publish.c")
		for _, writer := range []string{"pprof-5.18", "pprof-5.19", "pprof-5.20"} {
			for _, mode := range []string{"plain", "gc"} {
				t.Run(v.Version+"/"+writer+"/"+mode, func(t *testing.T) {
					testPublished(t, node, mode, []string{"WRITER=" + writer, "PUBLISH_ADDON=" + publish})
				})
			}
		}
	}
}

func testPublished(t *testing.T, node, mode string, env []string) {
	var flags []string
	if strings.Contains(node, "/22.") {
		flags = append(flags, "--experimental-async-context-frame")
	}
	if mode == "gc" {
		flags = append(flags, "--max-semi-space-size=1")
	}
	d := publishedFor(t)
	p := start(t, node, "published.js", flags, append(env, "MODE="+mode, "DURATION_MS="+millis(d+1500*time.Millisecond)))
	samples := record(t, p.pid, 997, d)
	v := compareLabels(t, samples, p.truth(t), publishedLabels)
	v.right.atLeast(t, "samples in request code labelled right", 100, int(d.Seconds()*300))
	t.Logf("in collections: %v; missing: %v", v.gc, v.missing)
	if v.wrong > 0 || v.outside > 0 {
		t.Errorf("%d samples with wrong labels, %d labelled where no context is valid, want none", v.wrong, v.outside)
	}
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
