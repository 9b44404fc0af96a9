package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// poolChains are functions of native code by which a sample is known to be of a chain of pool.js; the first that is
// there counts.
var poolChains = []struct {
	chain    int
	function string
}{
	{2, "scrypt"}, {2, "Scrypt"}, {1, "PBKDF2"}, {3, "deflate"}, {3, "CompressionStream"}, {3, "ZlibContext"},
	{4, "uv__fs_work"},
	{5, "uv__getaddrinfo_work"}, {addonChain, "burn_work"},
}

const addonChain = 6

// poolKinds are the kinds of the chains, from number 1 on.
var poolKinds = []any{"pbkdf2", "scrypt", "deflate", "file", "lookup", "addon"}

// poolRules are labels of the stores of pool.js.
var poolRules = []string{"kind=kind", "id=id", "user=user.name"}

func poolLabels(l *truth.Label) map[string]any {
	return map[string]any{"kind": l.Endpoint, "id": float64(l.Request), "user": l.User}
}

// poolNodes are the first versions in which Node keeps the request of a job somewhere else than before, and the newest.
var poolNodes = []string{"16.20.2", "22.23.3", "24.10.0", "24.15.0", "26.10.0"}

// TestPool: what libuv's pool does has the labels of the request that asked for it, however Node keeps the request;
// nothing else on its threads has any. While the thread collects that asked, a job's first samples have none: how many
// that are depends on the machine, and in small collections, one after the other, only what is there is judged.
func TestPool(t *testing.T) {
	runNodes(t, nodes.Versions(), func(t *testing.T, v nodes.Version, node string) {
		if !*all && !slices.Contains(poolNodes, v.Version) {
			return
		}
		env := []string{"WORK_ADDON=" + addon(t, node, "work.c")}
		flags, frames := v.AsyncContextFrame()
		runPool(t, node, flags, env, 90)
		if *all || v.Major() == 26 {
			runPool(t, node, append(collecting, flags...), env, 0)
		}
		if *all && frames {
			runPool(t, node, []string{"--no-async-context-frame"}, env, 90)
		}
	})
}

func runPool(t *testing.T, node string, flags, env []string, percent float64) {
	p := start(t, node, "pool.js", flags, env)
	samples := record(t, p.PID, 997, 3*time.Second, judge.Flags(poolRules)...)
	l := p.truth(t)
	var work []judge.Sample
	framesOnly := slices.Contains(flags, "--experimental-async-context-frame")
	for _, s := range samples {
		if s.TID = poolChain(s.Stack); s.TID == 0 && beginsJob(s.Stack) {
			s.TID = 1 + slices.Index(poolKinds, s.Labels["kind"]) // none is 0; what it says is compared with the truth
		}
		// Node 22 and 23 keep no frame for the jobs of add-ons.
		if s.TID > 0 && !(framesOnly && s.TID == addonChain) {
			work = append(work, s)
		} else if hasFrame(s.Stack, "worker") && len(s.Labels) > 0 {
			t.Errorf("labels of a thread of the pool that works for nobody: %v of %v", s.Labels, s.Stack)
		}
	}
	compareLabels(t, work, l, poolLabels, bound{percent, 1000})
}

// poolChain is the chain of pool.js that a thread of the pool works for; 0 for none.
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

// beginsJob reports whether a thread of the pool is in a job of Node's. At its begin and end that is all that can be
// told.
func beginsJob(stack []judge.Frame) bool {
	return hasFrame(stack, "worker") && slices.ContainsFunc(stack, func(f judge.Frame) bool {
		return strings.Contains(f.F, "node::ThreadPoolWork::ScheduleWork")
	})
}

func hasFrame(stack []judge.Frame, function string) bool {
	return slices.ContainsFunc(stack, func(f judge.Frame) bool { return f.F == function && f.Kind == "native" })
}
