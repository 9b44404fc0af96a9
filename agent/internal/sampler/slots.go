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
	size [bpf.MaxTables]int64 // bytes
	most int64                // of all together; 0 = any
	last uint32               // the number that was given last: a number is used again as late as possible
}

// take returns a free number for a table of so many bytes.
func (t *tableSlots) take(bytes int64) (uint32, error) {
	t.Lock()
	defer t.Unlock()
	if sum := t.sum() + bytes; t.most > 0 && sum > t.most {
		return 0, fmt.Errorf("all would take %d bytes, at most %d are used", sum, t.most)
	}
	for range bpf.MaxTables - 1 {
		t.last = t.last%uint32(bpf.MaxTables-1) + 1
		if !t.used[t.last] {
			t.used[t.last], t.size[t.last] = true, bytes
			return t.last, nil
		}
	}
	return 0, fmt.Errorf("unwind rules of %d files are loaded, there is no room for more", bpf.MaxTables-1)
}

// bytes returns the size of all tables.
func (t *tableSlots) bytes() int64 {
	t.Lock()
	defer t.Unlock()
	return t.sum()
}

func (t *tableSlots) sum() (sum int64) {
	for _, n := range t.size {
		sum += n
	}
	return sum
}

func (t *tableSlots) release(i uint32) {
	t.Lock()
	defer t.Unlock()
	t.used[i], t.size[i] = false, 0
}
