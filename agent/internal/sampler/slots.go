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
}

func (t *tableSlots) take() (uint32, error) {
	t.Lock()
	defer t.Unlock()
	for i := uint32(1); i < uint32(bpf.MaxTables); i++ {
		if !t.used[i] {
			t.used[i] = true
			return i, nil
		}
	}
	return 0, fmt.Errorf("unwind rules of %d files are loaded, there is no room for more", bpf.MaxTables-1)
}

func (t *tableSlots) release(i uint32) {
	t.Lock()
	defer t.Unlock()
	t.used[i] = false
}
