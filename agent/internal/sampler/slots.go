package sampler

import (
	"fmt"
	"math"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/share"
)

// tableSlots allocates the numbers of unwind tables in the BPF map. Number 0 stands for no table. It is safe for
// concurrent use.
type tableSlots struct {
	most  int64                     // bytes that all tables may have
	files *share.Shares[procs.User] // tables that one user's processes have, as numbers
	sizes *share.Shares[procs.User] // and as bytes

	mu    sync.Mutex
	taken map[uint32]slot // by number
	last  uint32          // the number that was given last: a number is used again as late as possible
}

// slot is for whose process its file was read first, and how many bytes its table has.
type slot struct {
	user  procs.User
	bytes int
}

// newTableSlots returns slots for tables of so many bytes together; 0 = any.
func newTableSlots(most int64) *tableSlots {
	if most == 0 {
		most = math.MaxInt64
	}
	return &tableSlots{
		most: most, taken: map[uint32]slot{},
		files: share.New[procs.User](bpf.MaxTables-1, perUser),
		sizes: share.New[procs.User](int(most), perUser),
	}
}

// take returns a free number for a table of so many bytes, of a file that is read for a user's process.
func (t *tableSlots) take(user procs.User, bytes int) (uint32, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.files.Take(user, 1) {
		return 0, fmt.Errorf("of %d files there is no room for more of one user's processes", bpf.MaxTables-1)
	}
	if !t.sizes.Take(user, bytes) {
		t.files.Give(user, 1)
		return 0, fmt.Errorf("%d bytes are more than is left of %d for files of one user's processes", bytes, t.most)
	}
	for free := false; !free; {
		t.last = t.last%uint32(bpf.MaxTables-1) + 1
		_, used := t.taken[t.last]
		free = !used
	}
	t.taken[t.last] = slot{user, bytes}
	return t.last, nil
}

// bytes returns the size of all tables.
func (t *tableSlots) bytes() int64 { return int64(t.sizes.All()) }

func (t *tableSlots) release(i uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.taken[i]; ok {
		delete(t.taken, i)
		t.files.Give(s.user, 1)
		t.sizes.Give(s.user, s.bytes)
	}
}
