package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
	"github.com/hotspan/hotspan/v8/stack"
)

// Limits of what is kept for source maps. A map over one of them counts as too large.
const (
	maxMappedScripts = 1 << 14   // of all processes
	maxMapMemory     = 512 << 20 // bytes of all decoded maps
	maxMapsWaiting   = 256 << 20 // UTF-16 units of scripts and inline maps that wait to be read
	maxMapWarnings   = 10        // more of them only in the log's details
)

// largeMap is the size, in bytes of text, from which on reading a map takes a noticeable time.
const largeMap = 1 << 20

// MapStats counts the scripts that name a source map.
type MapStats struct {
	Loaded   int64 // the map is used
	Missing  int64 // there is no such file
	Remote   int64 // it is on a server
	Broken   int64 // it could not be read, or is of another script than the one that runs
	TooLarge int64 // it is over a limit
	Late     int64 // samples that went out with generated positions: mapWait was over
}

// sourceMaps reads the source maps that scripts name, beside the sampling: at one time one that is large, and one that is
// not, which so has to wait for no large one.
type sourceMaps struct {
	log    *slog.Logger
	turns  [2]sync.Mutex // of the goroutine that reads a small map, and of that which reads a large one
	mu     sync.Mutex    // of all that follows
	last   int32
	script map[int32]*mappedScript // by Frame.Map
	maps   map[string]*sharedMap   // by what they were read from
	memory int                     // of maps
	units  int                     // that wait
	cuts   int                     // snapshots so far
	warned map[string]bool
	stats  MapStats
}

// mappedScript is a script of a process that names a source map.
type mappedScript struct {
	name   string
	since  time.Time
	late   bool             // it was not there when a snapshot needed it
	units  int              // of its text and inline map
	done   chan struct{}    // closed when script is set
	script sourcemap.Script // without a Map: there is none to use
	shared *sharedMap
	last   int // number of the last snapshot that may have samples of it; 0: its process runs
}

// sharedMap is a map that scripts of several processes may have in common.
type sharedMap struct {
	*sourcemap.Map
	key  string
	size int
	uses int
}

func newSourceMaps(log *slog.Logger) *sourceMaps {
	return &sourceMaps{
		log: log, script: map[int32]*mappedScript{}, maps: map[string]*sharedMap{}, warned: map[string]bool{},
	}
}

// followMaps begins to read the source maps that a process's scripts name.
func (a *Agent) followMaps(t *target) {
	if a.maps == nil {
		return
	}
	t.maps = map[int]int32{}
	if root, err := procs.OpenRoot(t.pid); err == nil {
		t.root = root
	} else {
		a.log.Debug("source maps in files cannot be read", "pid", t.pid, "why", err)
	}
	t.resolver.Maps = func(s stack.MappedScript) int32 { return a.maps.add(t, s) }
}

// add gives a script a number, and begins to read its map. It runs between two samples, so it does no more.
func (m *sourceMaps) add(t *target, s stack.MappedScript) int32 {
	units := s.URL.Len()
	if s.Source != nil {
		units += s.Source.Len()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if number := t.maps[s.Script.ID]; number != 0 {
		return number
	}
	if len(m.script) >= maxMappedScripts || m.units+units > maxMapsWaiting {
		m.stats.TooLarge++
		m.warn(s.Script.Name, fmt.Errorf("with %d scripts that have maps, and %d characters that wait to be read: %w",
			len(m.script), m.units, sourcemap.ErrTooLarge))
		return 0
	}
	m.last++
	m.units += units
	t.maps[s.Script.ID] = m.last
	known := &mappedScript{name: s.Script.Name, since: time.Now(), units: units, done: make(chan struct{})}
	known.script.LineOffset, known.script.ColumnOffset = s.Script.LineOffset, s.Script.ColumnOffset
	if text, ok := unwrap(s.Source); ok {
		s.Source = text
		known.script.ColumnOffset += len(wrapperHead)
	}
	m.script[m.last] = known
	go func() {
		shared, err := m.load(t.root, s)
		m.loaded(known, shared, err)
	}()
	return m.last
}

// loaded notes the outcome, and says what is wrong.
func (m *sourceMaps) loaded(s *mappedScript, shared *sharedMap, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer close(s.done)
	m.units -= s.units
	switch {
	case err == nil:
		m.stats.Loaded++
		s.shared, s.script.Map = shared, shared.Map
		return
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

// warn says once what is wrong with a map, whatever number of processes run its script.
func (m *sourceMaps) warn(script string, err error) {
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

// share finds the map that was made of the same thing, or makes it. size is that of its text in bytes.
func (m *sourceMaps) share(key string, size int64, parse func() (*sourcemap.Map, error)) (*sharedMap, error) {
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
	m.mu.Unlock()
	if known != nil {
		return known, nil
	}
	parsed, err := parse()
	if err != nil {
		return nil, err
	}
	s := &sharedMap{Map: parsed, key: key, size: parsed.Size(), uses: 1}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.memory+s.size > maxMapMemory {
		return nil, fmt.Errorf("all maps would take %d bytes of memory, at most %d are used: %w",
			m.memory+s.size, maxMapMemory, sourcemap.ErrTooLarge)
	}
	m.memory += s.size
	m.maps[key] = s
	return s, nil
}

// end notes that a process has ended. Its samples are in the snapshot that is open or, if they were taken while that was
// cut, in the next: then its maps are needed no more.
func (m *sourceMaps) end(t *target) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, number := range t.maps {
		if s := m.script[number]; s != nil {
			s.last = m.cuts + 2
		}
	}
}

// forget drops the maps that no snapshot after the one of a number needs.
func (m *sourceMaps) forget(cut int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for number, s := range m.script {
		if s.last != 0 && s.last <= cut && s.isDone() {
			m.release(s)
			delete(m.script, number)
		}
	}
}

func (m *sourceMaps) release(s *mappedScript) {
	if s.shared == nil {
		return
	}
	if s.shared.uses--; s.shared.uses == 0 {
		delete(m.maps, s.shared.key)
		m.memory -= s.shared.size
	}
}
