package sourcemaps

import (
	"fmt"
	"time"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

// Process makes a Process for a pid.
func (m *Maps) Process(pid int) *Process {
	root, err := procs.OpenRoot(pid)
	if err != nil {
		m.log.Debug("source maps in files cannot be read", "pid", pid, "why", err)
		root = nil
	}
	return newProcess(m, procs.UserOf(pid), root)
}

// Add returns a number for the source map of a script, and starts to read it on a goroutine. A script without a map is
// compared with its file. Add is called between two samples, so it must be fast.
func (p *Process) Add(s functions.MappedScript) int32 {
	if s.URL == nil && !s.TooLong {
		p.compare(s)
		return 0
	}
	m, which := p.maps, identityOf(s)
	units := 0
	for _, t := range []*heap.Text{s.URL, s.Source} {
		if t != nil {
			units += t.Len()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if number := p.numbers[which]; number != 0 {
		return number
	}
	if !m.take(p.user, units) {
		m.stats.TooLarge++
		m.warn(s.Script.Name, fmt.Errorf("with %d scripts that have maps, and %d characters that wait to be read: %w",
			m.scripts.All(), m.units.All(), sourcemap.ErrTooLarge))
		return 0
	}
	m.last++
	p.numbers[which] = m.last
	known := &mappedScript{
		user: p.user, name: s.Script.Name, since: time.Now(), units: units, done: make(chan struct{}), uses: p.uses,
	}
	p.uses.scripts++
	known.script.LineOffset, known.script.ColumnOffset = s.Script.LineOffset, s.Script.ColumnOffset
	if text, ok := unwrap(s.Source); ok {
		s.Source = text
		known.script.ColumnOffset += len(wrapperHead)
	}
	m.script[m.last] = known
	go func() {
		defer priority.Background()()
		shared, from, err := p.load(s)
		var again func()
		if !m.oneBuild(from) {
			again = p.again(known, s, from)
		}
		s = functions.MappedScript{}
		if m.loaded(known, shared, err, again); units > int(limits.Large) {
			budget.GiveBack()
		}
	}()
	return m.last
}

// take takes the place of a script with so many UTF-16 units, if there is one for the user.
func (m *Maps) take(user procs.User, units int) bool {
	if !m.scripts.Take(user, 1) {
		return false
	}
	if !m.units.Take(user, units) {
		m.scripts.Give(user, 1)
		return false
	}
	return true
}

// End marks the maps of a process that has ended. Its samples are in the current snapshot or, if that is being cut, in
// the next one; after those the maps are not needed. Its root is closed when no map is read any more.
func (p *Process) End() {
	m := p.maps
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, number := range p.numbers {
		if s := m.script[number]; s != nil {
			s.last = m.cuts + 2
		}
	}
	p.uses.ended = true
	p.uses.close()
}
