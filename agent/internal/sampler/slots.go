package sampler

import (
	"fmt"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// userTables is how much of the tables, and of what they may take, those of files may have that were read for one
// user's processes, of what others leave.
const userTables = 3.0 / 4

// tableSlots allocates the numbers of unwind tables in the BPF map. Number 0 stands for no table.
type tableSlots struct {
	sync.Mutex
	used [bpf.MaxTables]bool
	size [bpf.MaxTables]int64      // bytes
	user [bpf.MaxTables]procs.User // for whose process the file was read first
	most int64                     // bytes of all together; 0 = any
	last uint32                    // the number that was given last: a number is used again as late as possible
}

// take returns a free number for a table of so many bytes, of a file that is read for a user's process.
func (t *tableSlots) take(user procs.User, bytes int64) (uint32, error) {
	t.Lock()
	defer t.Unlock()
	files, left := t.left(user)
	if t.most > 0 && bytes > left {
		return 0, fmt.Errorf("%d bytes are more than is left of %d for files of one user's processes", bytes, t.most)
	}
	for i := 0; files > 0 && i < bpf.MaxTables-1; i++ {
		t.last = t.last%uint32(bpf.MaxTables-1) + 1
		if !t.used[t.last] {
			t.used[t.last], t.size[t.last], t.user[t.last] = true, bytes, user
			return t.last, nil
		}
	}
	return 0, fmt.Errorf("of %d files there is no room for more of one user's processes", bpf.MaxTables-1)
}

// left returns how many tables, of how many bytes if these are bounded, there may be besides for a user's processes.
func (t *tableSlots) left(user procs.User) (files int, bytes int64) {
	files, bytes = bpf.MaxTables-1, t.most
	own, size := 0, int64(0)
	for i, used := range t.used {
		switch {
		case used && t.user[i] == user:
			own, size = own+1, size+t.size[i]
		case used:
			files, bytes = files-1, bytes-t.size[i]
		}
	}
	return int(float64(files)*userTables) - own, int64(float64(bytes)*userTables) - size
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
