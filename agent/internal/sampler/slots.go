package sampler

import (
	"fmt"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// tableSlots allocates the numbers of unwind tables in the BPF map. Number 0 stands for no table.
type tableSlots struct {
	sync.Mutex
	used [bpf.MaxTables]bool
	last uint32 // the number that was given last: a number is used again as late as possible
}

func (t *tableSlots) take() (uint32, error) {
	t.Lock()
	defer t.Unlock()
	for range bpf.MaxTables - 1 {
		t.last = t.last%uint32(bpf.MaxTables-1) + 1
		if !t.used[t.last] {
			t.used[t.last] = true
			return t.last, nil
		}
	}
	return 0, fmt.Errorf("unwind rules of %d files are loaded, there is no room for more", bpf.MaxTables-1)
}

func (t *tableSlots) release(i uint32) {
	t.Lock()
	defer t.Unlock()
	t.used[i] = false
}
