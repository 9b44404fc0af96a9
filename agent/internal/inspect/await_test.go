package inspect

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// confused is memory in which some words are others that were read before, such as other objects.
type confused struct {
	io.ReaderAt
	random *rand.Rand
	one    int // of so many words is another one; 0: none
	before []uint64
	reads  int
}

func (c *confused) ReadAt(b []byte, at int64) (int, error) {
	c.reads++
	n, err := c.ReaderAt.ReadAt(b, at)
	if len(b) != 8 || err != nil {
		return n, err
	}
	if c.one > 0 && len(c.before) > 0 && c.random.IntN(c.one) == 0 {
		binary.LittleEndian.PutUint64(b, c.before[c.random.IntN(len(c.before))])
	}
	c.before = append(c.before, binary.LittleEndian.Uint64(b))
	return n, nil
}

// TestAwaitConfused: whatever the memory says, who waits is found within bounds, or there is an error.
func TestAwaitConfused(t *testing.T) {
	script, err := filepath.Abs("../../../test/inspect/testdata/await.js")
	if err != nil {
		t.Fatal(err)
	}
	list := nodes.Versions()
	p := live.Start(t, list[len(list)-1].Version, script, t.TempDir(), "wait")
	s, err := OpenLive(p.PID)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.live = false // it stands still, and what is read twice differs here
	promises := s.Instances("Promise", 1000, nil).Addresses
	memory := &confused{ReaderAt: s.process.Memory}
	s.process.Memory = memory
	ends := map[string]int{}
	for seed := range uint64(2000) {
		memory.random, memory.one = rand.New(rand.NewPCG(3, seed)), 50<<(seed%8)
		memory.before, memory.reads = nil, 0
		a, err := s.awaited(tagged(promises[int(seed)%len(promises)]))
		switch n := count(&a); {
		case err != nil:
			ends["error"]++
		case n > 64:
			t.Errorf("seed %d: %d wait", seed, n)
		default:
			ends["answer"]++
		}
		if memory.reads > 1<<20 {
			t.Errorf("seed %d: %d reads", seed, memory.reads)
		}
	}
	t.Log(ends)
	if ends["error"] < 100 || ends["answer"] < 100 {
		t.Errorf("%v: the test is of something else", ends)
	}
}

func count(a *Awaited) int {
	n := len(a.Waiters)
	for i := range a.Forks {
		n += count(&a.Forks[i])
	}
	return n
}
