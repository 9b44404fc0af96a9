package sourcemaps

import (
	"errors"
	"io/fs"

	"github.com/hotspan/hotspan/pprofx/sourcemap"
)

// loaded records the result of reading a map. again is nil if it need not be read again.
func (m *Maps) loaded(s *mappedScript, shared *sharedMap, err error, again func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer close(s.done)
	if err != nil {
		m.forgetText(s)
		m.refuse(s, err)
		return
	}
	m.stats.Loaded++
	s.shared, s.script.Map, s.again = shared, shared.Map, again
	if again == nil {
		m.forgetText(s)
	}
}

// forgetText lets go of what a map is read again by. Its caller holds the lock.
func (m *Maps) forgetText(s *mappedScript) {
	m.units.Give(s.user, s.units)
	s.again, s.units = nil, 0
	if s.uses != nil {
		s.uses.scripts--
		s.uses.close()
		s.uses = nil
	}
}

// refuse counts a map that is not used, and logs why. Its caller holds the lock.
func (m *Maps) refuse(s *mappedScript, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.stats.Missing++
		m.log.Debug("source map not found", "script", s.name, "why", err)
		return
	case errors.Is(err, sourcemap.ErrRemote):
		m.stats.Remote++
		m.log.Debug("source map not used", "script", s.name, "why", err)
		return
	case errors.Is(err, sourcemap.ErrTooLarge):
		m.stats.TooLarge++
	default:
		m.stats.Broken++
	}
	m.warn(s.name, err)
}

// warn logs an error of a map once, however many processes run its script.
func (m *Maps) warn(script string, err error) {
	said := script + "\x00" + err.Error()
	switch {
	case m.warned[said]:
	case len(m.warned) < maxMapWarnings:
		m.warned[said] = true
		m.log.Warn("source map not used", "script", script, "why", err)
	default:
		m.log.Debug("source map not used", "script", script, "why", err)
	}
}
