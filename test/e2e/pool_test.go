package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// poolChains are native functions that identify the chain of pool.js that a sample belongs to. The first match counts.
var poolChains = []struct {
	chain    int
	function string
}{
	{2, "scrypt"}, {2, "Scrypt"}, {1, "PBKDF2"}, {7, "Brotli"}, {3, "deflate"}, {3, "CompressionStream"},
	{3, "ZlibContext"},
	{4, "uv__fs_work"},
	{5, "uv__getaddrinfo_work"}, {addonChain, "burn_work"},
}

const addonChain = 6

// poolRules are rules for the stores of pool.js.
var poolRules = []string{"kind=kind", "id=id", "user=user.name"}

func poolLabels(l *truth.Label) map[string]any {
	return map[string]any{"kind": l.Endpoint, "id": float64(l.Request), "user": l.User}
}

// poolNodes are the first version of each place in which Node keeps the request of a job, and the newest version.
var poolNodes = []string{"16.20.2", "22.23.3", "24.10.0", "24.15.0", "26.10.0"}

// TestPool: jobs of libuv's pool have the labels of the request that queued them, however Node keeps the request.
// Nothing else on the pool's threads has labels. While the thread that queued a job collects garbage, the first samples
// of the job have none; how many these are depends on the machine.
func TestPool(t *testing.T) {
	t.Parallel()
	runNodes(t, nodes.Versions(), func(t *testing.T, v nodes.Version, node string) {
		if !*all && !slices.Contains(poolNodes, v.Version) {
			return
		}
		env := []string{"WORK_ADDON=" + addon(t, node, "work.c")}
		flags, frames := v.AsyncContextFrame()
		runPool(t, node, flags, env)
		if *all || v.Major() == 26 {
			runPool(t, node, append(collecting, flags...), env)
		}
		if *all && frames {
			runPool(t, node, v.AsyncHooks(), env)
		}
	})
}

func runPool(t *testing.T, node string, flags, env []string) {
	p := start(t, node, "pool.js", flags, env)
	samples := recordEnough(t, p.PID, 997, 2500, 3*time.Second, judge.Flags(poolRules)...)
	l := p.truth(t)
	compareLabels(t, poolWork(t, samples, l, flags), l, poolLabels, bound{90, 1000})
}

// poolWork returns the samples of threads of the pool that work for a chain, whose number is the tid, without those
// that could not be read. Samples of the pool that work for nobody must have no labels. At the begin and the end of a
// job the stack does not tell whose it is: it takes microseconds, of jobs that take milliseconds.
func poolWork(t *testing.T, samples []judge.Sample, l *truth.Log, flags []string) (work []judge.Sample) {
	collected := 0
	var told judge.Share
	framesOnly := slices.Contains(flags, "--experimental-async-context-frame")
	for _, s := range samples {
		s.TID = poolChain(s.Stack)
		switch begins := s.TID == 0 && beginsJob(s.Stack); {
		case begins && len(s.Labels) > 0 && !wasQueued(l, &s):
			t.Errorf("labels of no job that was queued then: %v of %v", s.Labels, s.Stack)
		case begins:
			told.Count(false)
		// Node 22 and 23 keep no frame for the jobs of add-ons.
		case s.TID > 0 && len(s.Labels) == 0 && mainCollects(l, s.Mono(l)):
			collected++
		case s.TID > 0 && !(framesOnly && s.TID == addonChain):
			told.Count(true)
			work = append(work, s)
		case hasFrame(s.Stack, "worker") && len(s.Labels) > 0:
			t.Errorf("labels of a thread of the pool that works for nobody: %v of %v", s.Labels, s.Stack)
		}
	}
	t.Logf("left out: %d samples without labels while the main thread collected garbage", collected)
	atLeast(t, told, "jobs whose stack tells their kind", 99, 1000)
	return work
}

// collections is the tid of the intervals in which the main thread of pool.js collected garbage.
const collections = 8

func mainCollects(l *truth.Log, ns int64) bool {
	return slices.ContainsFunc(l.Intervals, func(i truth.Interval) bool {
		return i.TID == collections && during(i, ns)
	})
}

// wasQueued reports whether a sample's labels are of a request that had a job in the pool.
func wasQueued(l *truth.Log, s *judge.Sample) bool {
	return slices.ContainsFunc(l.Intervals, func(i truth.Interval) bool {
		return i.Label != nil && i.Label.Endpoint == s.Labels["kind"] &&
			fmt.Sprint(i.Label.Request) == fmt.Sprint(s.Labels["id"]) && during(i, s.Mono(l))
	})
}

// during reports whether an instant may be in an interval.
func during(i truth.Interval, ns int64) bool {
	return ns >= i.Start-int64(truth.Guard) && ns < i.End+int64(truth.Guard)
}

// poolChain returns the chain of pool.js that a thread of the pool works for, or 0.
func poolChain(stack []judge.Frame) int {
	if !hasFrame(stack, "worker") {
		return 0
	}
	for _, c := range poolChains {
		// the kernel has fscrypt
		isOf := func(f judge.Frame) bool { return f.Kind == "native" && strings.Contains(f.F, c.function) }
		if slices.ContainsFunc(stack, isOf) {
			return c.chain
		}
	}
	return 0
}

// beginsJob reports whether a thread of the pool is in a job of Node's. At the begin and end of a job nothing more is
// known.
func beginsJob(stack []judge.Frame) bool {
	return hasFrame(stack, "worker") && slices.ContainsFunc(stack, func(f judge.Frame) bool {
		return strings.Contains(f.F, "node::ThreadPoolWork::ScheduleWork")
	})
}

func hasFrame(stack []judge.Frame, function string) bool {
	return slices.ContainsFunc(stack, func(f judge.Frame) bool { return f.F == function && f.Kind == "native" })
}
