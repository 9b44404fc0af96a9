package jitdump

import (
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// userWait is for how long samples wait within a minute for files of one user's processes.
const userWait = 3 * time.Second

// waits are how long samples have waited for files of a user's processes. It is safe for concurrent use.
type waits struct {
	mu sync.Mutex
	of map[procs.User]*waited
}

// waited is how long samples have waited within a minute.
type waited struct{ sum, end time.Duration }

var allWaits = waits{of: map[procs.User]*waited{}}

// left is for how long samples may wait now. now is the time on a clock that does not jump.
func (p *waits) left(user procs.User, now time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.of[user]
	if w == nil {
		return userWait
	}
	if now > w.end {
		delete(p.of, user)
		return userWait
	}
	return max(0, userWait-w.sum)
}

// add adds to what they have waited.
func (p *waits) add(user procs.User, now, some time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.of[user]
	if w == nil {
		w = &waited{end: now + time.Minute}
		p.of[user] = w
	}
	w.sum += some
}
