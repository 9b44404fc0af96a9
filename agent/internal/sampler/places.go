package sampler

import (
	"errors"
	"fmt"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/share"
)

// perUser is how many of the processes that are sampled one user may have, of what others leave, and how much of the
// unwind tables: nobody is to keep others out.
const perUser = 3.0 / 4

// ErrNoPlace says that a process is not sampled, since too many are, or too many of its user.
var ErrNoPlace = errors.New("too many processes are profiled: others are when some have ended")

// ErrNoPlaceAgain is an ErrNoPlace of a user of whom another process had one, with nothing that has changed since.
var ErrNoPlaceAgain = fmt.Errorf("%w, again", ErrNoPlace)

// places are those in the map of the processes that are sampled. It is safe for concurrent use.
type places struct {
	shares *share.Shares[procs.User]
	userOf func(pid int) procs.User

	mu      sync.Mutex
	users   map[int]procs.User  // of the processes that have one
	refused map[procs.User]bool // users of whom some process has none
}

func newPlaces(most int) *places {
	return &places{
		shares: share.New[procs.User](most, perUser), userOf: procs.UserOf,
		users: map[int]procs.User{}, refused: map[procs.User]bool{},
	}
}

// take gives a process a place, and reports whether it had one.
func (p *places) take(pid int) (had bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.users[pid]; ok {
		return true, nil
	}
	user := p.userOf(pid)
	if p.shares.Take(user, 1) {
		p.users[pid] = user
		return false, nil
	}
	no := ErrNoPlace
	if p.refused[user] {
		no = ErrNoPlaceAgain
	}
	p.refused[user] = true
	return false, fmt.Errorf("%w: no more of user %d", no, user)
}

// give takes the place of a process back.
func (p *places) give(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if user, ok := p.users[pid]; ok {
		p.shares.Give(user, 1)
		delete(p.users, pid)
	}
}

// freed is Sampler.PlaceFreed.
func (p *places) freed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for user := range p.refused {
		if p.shares.Take(user, 1) {
			p.shares.Give(user, 1)
			clear(p.refused)
			return true
		}
	}
	return false
}
