package e2e

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// transfer is what a call of a function of files.js does by some system calls.
type transfer struct {
	calls       string // their names
	hits, bytes int    // hits: 0 = as many as Node likes
}

// TestFileBytes: the recipe file counts the bytes that a request reads and writes of files, and those alone.
func TestFileBytes(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	reads := []transfer{{"pread64", 2, 3000}, {"readv", 1, 500}, {"preadv", 1, 700}}
	writes := []transfer{{"write", 1, 40}, {"pwrite64", 1, 50}, {"writev", 1, 130}, {"pwritev", 1, 150}}
	const copies = "sendfile copy_file_range"
	for _, c := range []struct {
		function string
		want     []transfer
	}{
		{"reading", append([]transfer{{"openat", 5, 0}, {"read", 2, 1000}, {copies, 0, 10000}}, reads...)},
		{"writing", append([]transfer{{"openat", 1, 0}}, writes...)},
		{"pooled", append(append([]transfer{{"openat", 3, 0}, {"read", 1, 1000}}, reads...), writes...)},
		{"whole", []transfer{
			{"openat", 8, 0}, {"read pread64", 0, 30000}, {"write pwrite64", 0, 27000}, {copies, 0, 10000},
		}},
	} {
		t.Run(c.function, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				env := []string{"REQUESTS=100", "ADDON=./files.js", "FUNCTION=" + c.function, "DIR=" + t.TempDir()}
				r := recordProbes(t, node, env, []string{"file"}, "--probe-limit", "1000000")
				r.samples = inRequests(r.samples)
				for _, want := range c.want {
					r.compareTransfer(t, want)
				}
				r.refuseOthers(t, c.want)
				if lost := lostOf(t, r.said); lost != 0 {
					t.Errorf("%d hits are lost", lost)
				}
				if strings.Contains(r.said, "without a value") {
					t.Error("errors count as values")
				}
			})
		})
	}
}

// inRequests leaves out what the program did before: the samples up to the first request, which begins by a system call
// of its own, and those of requests called warm.
func inRequests(all []judge.Sample) []judge.Sample {
	slices.SortFunc(all, func(a, b judge.Sample) int { return cmp.Compare(a.T, b.T) })
	began := slices.IndexFunc(all, func(s judge.Sample) bool { return in(&s, "next") })
	return slices.DeleteFunc(all[max(began, 0):], func(s judge.Sample) bool { return endpoint(&s) == "warm" })
}

// in reports whether a function is in the stack of a sample.
func in(s *judge.Sample, function string) bool {
	return slices.ContainsFunc(s.Stack, func(f judge.Frame) bool { return f.F == function })
}

// callOf returns the name of the system call that a probe is on; ok is false if it is on none, or if glibc or V8's
// locks read a file for themselves.
func callOf(s *judge.Sample) (name string, ok bool) {
	name, ok = strings.CutPrefix(s.Labels["hotspan.probe"].(string), "syscall:")
	name, _, _ = strings.Cut(name, ",")
	own := strings.HasSuffix(s.Stack[0].F, "_nocancel") || in(s, "absl::base_internal::NominalCPUFrequency")
	return name, ok && !own
}

// of reports whether a system call is one of a transfer.
func (w *transfer) of(call string) bool { return slices.Contains(strings.Fields(w.calls), call) }

// compareTransfer compares hits and bytes of each request with what it has done.
func (r *probed) compareTransfer(t *testing.T, want transfer) {
	t.Helper()
	hits, bytes := map[string]int{}, map[string]int{}
	wantHits, wantBytes := map[string]int{}, map[string]int{}
	for request, n := range r.Called {
		wantHits[request], wantBytes[request] = n*want.hits, n*want.bytes
		bytes[request] = 0
	}
	for _, s := range r.samples {
		if call, ok := callOf(&s); ok && want.of(call) {
			hits[endpoint(&s)]++
			bytes[endpoint(&s)] += int(s.Weight)
		}
	}
	unlabelled := unlabelledOf(r.said)
	if want.hits != 0 {
		compareHits(t, want.calls, wantHits, hits, unlabelled)
	}
	compareHits(t, "bytes by "+want.calls, wantBytes, bytes, unlabelled*want.bytes)
}

// refuseOthers has the test fail for hits of system calls that the program does on no file.
func (r *probed) refuseOthers(t *testing.T, all []transfer) {
	t.Helper()
	for _, s := range r.samples {
		call, ok := callOf(&s)
		if ok && !slices.ContainsFunc(all, func(w transfer) bool { return w.of(call) }) {
			t.Errorf("%s in request %q: %d bytes", call, endpoint(&s), int(s.Weight))
		}
	}
}
