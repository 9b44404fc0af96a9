package agent

import (
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
