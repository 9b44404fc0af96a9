package sourcemaps

import (
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
)

// mapWait is how long snapshots wait for a source map, from the first sample of its script on.
const mapWait = 10 * time.Second

// Apply waits for the source maps of a snapshot's scripts, for at most mapWait and until pressed returns true, and
// applies them.
func (m *Maps) Apply(s *pprofx.Snapshot, pressed func() bool) *pprofx.Snapshot {
	out, late := m.apply(s, pressed)
	m.countLate(s, late)
	return out
}

// ApplyAhead does the same for samples that another snapshot has too, which counts them.
func (m *Maps) ApplyAhead(s *pprofx.Snapshot, pressed func() bool) *pprofx.Snapshot {
	out, _ := m.apply(s, pressed)
	return out
}

// apply returns also the numbers of the scripts whose maps are not read.
func (m *Maps) apply(s *pprofx.Snapshot, pressed func() bool) (*pprofx.Snapshot, map[int32]bool) {
	scripts, late := map[int32]sourcemap.Script{}, map[int32]bool{}
	for _, f := range s.Frames {
		if _, known := scripts[f.Map]; f.Map == 0 || known {
			continue
		}
		m.mu.Lock()
		script := m.script[f.Map]
		m.mu.Unlock()
		if script == nil || !script.wait(pressed) {
			m.sayLate(script)
			late[f.Map] = true
			scripts[f.Map] = sourcemap.Script{}
			continue
		}
		scripts[f.Map] = script.script
	}
	return sourcemap.Apply(s, scripts), late
}

// wait waits until the map was read, or could not be. It is false if time is up.
func (s *mappedScript) wait(pressed func() bool) bool {
	for !s.isDone() {
		if pressed() || time.Since(s.since) > mapWait {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}

func (s *mappedScript) isDone() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// sayLate logs once that a script's map was not read in time.
func (m *Maps) sayLate(s *mappedScript) {
	if s != nil && !s.late {
		s.late = true
		m.log.Debug("source map not yet read", "script", s.name, "after", time.Since(s.since).Round(time.Millisecond))
	}
}

// countLate counts the samples that keep positions in generated code because a map is not read yet.
func (m *Maps) countLate(s *pprofx.Snapshot, late map[int32]bool) {
	if len(late) == 0 {
		return
	}
	stacks := make([]bool, len(s.Stacks))
	for i, stack := range s.Stacks {
		for _, f := range stack {
			stacks[i] = stacks[i] || late[s.Frames[f].Map]
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range s.Rows {
		if stacks[s.Rows[i].Stack] {
			m.stats.Late++
		}
	}
}

// SnapshotCut notes that the snapshot of a number, from 1, was cut.
func (m *Maps) SnapshotCut(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cuts = n
}

// Stats returns the counts so far.
func (m *Maps) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

// Forget drops the maps that no snapshot after the one of a number needs.
func (m *Maps) Forget(cut int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for number, s := range m.script {
		if s.last != 0 && s.last <= cut && s.isDone() {
			m.release(s.shared)
			m.scripts.Give(s.user, 1)
			delete(m.script, number)
		}
	}
}
