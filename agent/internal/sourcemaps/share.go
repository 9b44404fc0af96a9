package sourcemaps

import (
	"fmt"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
)

// share returns the map with a key, or parses it for a user's process. size is that of its text in bytes.
func (m *Maps) share(
	user procs.User, key string, size int64, parse func() (*sourcemap.Map, error),
) (*sharedMap, error) {
	known, most := m.known(key)
	if known != nil {
		return known, nil
	}
	if size > most {
		return nil, fmt.Errorf("%d bytes, at most %d are read: %w", size, most, sourcemap.ErrTooLarge)
	}
	parsed, err := parse()
	if err != nil {
		return nil, err
	}
	s := &sharedMap{Map: parsed, user: user, key: key, size: parsed.Size(), uses: 1}
	m.mu.Lock()
	defer m.mu.Unlock()
	if other := m.maps[key]; other != nil { // it was read twice, as one that is slow may be
		other.uses++
		return other, nil
	}
	if !m.memory.Take(user, s.size) {
		return nil, fmt.Errorf("all maps would take %d bytes of memory, at most %d are used, and no more than %v of "+
			"what others leave for processes of one user: %w", m.memory.All()+s.size, m.most, userPart,
			sourcemap.ErrTooLarge)
	}
	m.maps[key] = s
	return s, nil
}

// known returns the map with a key, for a user more; nil: there is none. Then the text may have so many bytes.
func (m *Maps) known(key string) (known *sharedMap, most int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known = m.maps[key]; known != nil {
		known.uses++
	}
	return known, int64(m.most / 2)
}

// giveBack drops a map that a user does not need after all. nil: there is none.
func (m *Maps) giveBack(s *sharedMap) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.release(s)
}

// release is giveBack for who holds the lock.
func (m *Maps) release(s *sharedMap) {
	if s == nil {
		return
	}
	if s.uses--; s.uses == 0 {
		delete(m.maps, s.key)
		m.memory.Give(s.user, s.size)
	}
}
