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
	named := m.named(s)
	for _, script := range named { // all of them at a time
		m.lookAgain(script)
	}
	scripts, late := map[int32]sourcemap.Script{}, map[int32]bool{}
	for number, script := range named {
		var ok bool
		if scripts[number], ok = m.await(script, pressed); !ok {
			m.sayLate(script)
			late[number] = true
		}
	}
	return sourcemap.Apply(s, scripts), late
}

// named returns the scripts that frames of a snapshot have maps of, by their numbers; nil for one that is forgotten.
func (m *Maps) named(s *pprofx.Snapshot) map[int32]*mappedScript {
	m.mu.Lock()
	defer m.mu.Unlock()
	named := map[int32]*mappedScript{}
	for _, f := range s.Frames {
		if f.Map != 0 {
			named[f.Map] = m.script[f.Map]
		}
	}
	return named
}

// lookAgain starts to read a map again that may have changed.
func (m *Maps) lookAgain(s *mappedScript) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s == nil || s.again == nil || !isClosed(s.done) {
		return
	}
	s.since, s.late, s.done = time.Now(), false, make(chan struct{})
	go s.again()
}

// await waits until a map was read, or could not be. It is false if time is up.
func (m *Maps) await(s *mappedScript, pressed func() bool) (sourcemap.Script, bool) {
	if s == nil {
		return sourcemap.Script{}, false
	}
	for {
		m.mu.Lock()
		done, since, script := isClosed(s.done), s.since, s.script
		m.mu.Unlock()
		if done {
			return script, true
		}
		if pressed() || time.Since(since) > mapWait {
			return sourcemap.Script{}, false
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func isClosed(done chan struct{}) bool {
	select {
	case <-done:
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
		if s.last != 0 && s.last <= cut && isClosed(s.done) {
			m.release(s.shared)
			m.forgetText(s)
			m.scripts.Give(s.user, 1)
			delete(m.script, number)
		}
	}
}
