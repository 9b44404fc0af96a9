package sourcemaps

import (
	"fmt"

	"github.com/hotspan/hotspan/pprofx/sourcemap"
)

// share returns the map with a key, or parses it. size is that of its text in bytes.
func (m *Maps) share(key string, size int64, parse func() (*sourcemap.Map, error)) (*sharedMap, error) {
	turn := &m.turns[0]
	if size > largeMap {
		turn = &m.turns[1]
	}
	turn.Lock()
	defer turn.Unlock()
	m.mu.Lock()
	known := m.maps[key]
	if known != nil {
		known.uses++
	}
	most := int64(m.most / 2)
	m.mu.Unlock()
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
	s := &sharedMap{Map: parsed, key: key, size: parsed.Size(), uses: 1}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.memory+s.size > m.most {
		return nil, fmt.Errorf("all maps would take %d bytes of memory, at most %d are used: %w",
			m.memory+s.size, m.most, sourcemap.ErrTooLarge)
	}
	m.memory += s.size
	m.maps[key] = s
	return s, nil
}

func (m *Maps) release(s *mappedScript) {
	if s.shared == nil {
		return
	}
	if s.shared.uses--; s.shared.uses == 0 {
		delete(m.maps, s.shared.key)
		m.memory -= s.shared.size
	}
}
