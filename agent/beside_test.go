package agent

import (
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestMapsBeside: what an Agent beside another one keeps in BPF maps is no memory of the other one, and is bounded.
func TestMapsBeside(t *testing.T) {
	node := live.Start(t, "24.21.0", "-e", waits)
	open := func(tables int64) (own, beside int64) {
		before, besideBefore := sampler.MapBytes(), sampler.MapBytesBeside()
		a, err := New(Config{Select: Selection{PIDs: []int{node.PID}}, Rate: 99, TableBytes: tables})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		return sampler.MapBytes() - before, sampler.MapBytesBeside() - besideBefore
	}
	const few, enough = 64 << 10, 32 << 20
	all, none := open(0)
	if all == 0 || none != 0 {
		t.Errorf("%d bytes of maps are the agent's, %d those of others", all, none)
	}
	if own, beside := open(enough); own != 0 || beside != all {
		t.Errorf("of %d bytes beside the agent %d count as its own, want %d and 0", beside, own, all)
	}
	if own, beside := open(few); own+beside > all-few {
		t.Errorf("tables of %d bytes at most are in maps of %d, those of any size in %d", few, own+beside, all)
	}
}

// TestMemoryLimitBeside: an Agent with a memory limit gives back the limit of Go's runtime that there was, and one
// without leaves it to whoever has set it meanwhile.
func TestMemoryLimitBeside(t *testing.T) {
	const before, meanwhile = 1 << 40, 1 << 41
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for limit, want := range map[int64]int64{0: meanwhile, 1 << 30: before} {
		debug.SetMemoryLimit(before)
		none := Selection{Name: regexp.MustCompile("^no such program$")}
		a, err := New(Config{Select: none, Wait: true, Rate: 99, MemoryLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		debug.SetMemoryLimit(meanwhile)
		a.Close()
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("after an Agent with a limit of %d that of the runtime is %d, want %d", limit, got, want)
		}
	}
}
