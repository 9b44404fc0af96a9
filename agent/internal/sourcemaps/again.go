package sourcemaps

import (
	"errors"
	"io/fs"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/v8/functions"
)

// A build may pause for longer than is waited between a script and its map. What was read then shows to be of two
// builds when the second file is written. So what may still come is looked for before a map is used again.

// again returns a function that reads a script's map again if what it was read from has changed.
func (p *Process) again(known *mappedScript, s functions.MappedScript, from pair) func() {
	return func() {
		defer priority.Background()()
		shared, now, err := p.loadAgain(s, from)
		if err == nil {
			from = now
		}
		p.maps.loadedAgain(known, shared, err, p.maps.oneBuild(from))
	}
}

// loadAgain loads the map if what it was read from has changed. Otherwise the map is nil.
func (p *Process) loadAgain(s functions.MappedScript, from pair) (*sharedMap, pair, error) {
	file, err := mapFile(s)
	if err != nil || p.pair(s, file) == from {
		return nil, from, err
	}
	return p.loadFile(s, file)
}

// loadedAgain records the result of reading a map again, which may be the last time. A map that is gone is used on: it
// is so while a build goes on.
func (m *Maps) loadedAgain(s *mappedScript, shared *sharedMap, err error, last bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer close(s.done)
	refused := err != nil && !errors.Is(err, fs.ErrNotExist)
	if refused || shared != nil {
		m.release(s.shared)
		s.shared, s.script.Map = nil, nil
	}
	switch {
	case refused:
		m.stats.Loaded--
		m.refuse(s, err)
	case shared != nil:
		s.shared, s.script.Map = shared, shared.Map
	}
	if refused || last {
		m.forgetText(s)
	}
}
