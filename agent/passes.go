package agent

import (
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
)

// mapWait is how long after its script was first met a source map may still come. Snapshots wait for it until then.
const mapWait = 10 * time.Second

// passes takes snapshots on from where they are cut, and gives them to the sinks: in order, and at its own speed.
type passes struct {
	queue chan cut
	done  chan struct{}
	maps  *sourceMaps // nil: source maps are not applied
	sinks []*delivery
	log   *slog.Logger
	lost  int64 // snapshots, each once a sink
	cuts  int
}

// cut is a snapshot and its number, from 1.
type cut struct {
	*pprofx.Snapshot
	number int
}

func newPasses(maps *sourceMaps, sinks []*delivery, log *slog.Logger) *passes {
	p := &passes{
		queue: make(chan cut, waiting), done: make(chan struct{}), maps: maps, sinks: sinks, log: log,
	}
	go p.run()
	return p
}

func (p *passes) run() {
	defer close(p.done)
	for c := range p.queue {
		s := c.Snapshot
		if p.maps != nil {
			s = p.maps.apply(s, p.pressed)
			p.maps.forget(c.number)
		}
		for _, d := range p.sinks {
			d.put(s)
		}
	}
}

// pressed reports whether so many snapshots are waiting that there will soon be no room for more.
func (p *passes) pressed() bool { return len(p.queue) > cap(p.queue)/2 }

// put never waits.
func (p *passes) put(s *pprofx.Snapshot) {
	p.cuts++
	p.maps.countCut(p.cuts)
	select {
	case p.queue <- cut{s, p.cuts}:
	default:
		p.lost += int64(len(p.sinks))
		p.log.Warn("snapshots are cut faster than their source maps are read: one is lost")
	}
}

// close waits until all snapshots are with their sinks.
func (p *passes) close() {
	close(p.queue)
	<-p.done
}

// apply waits for the source maps of a snapshot's scripts, unless it is pressed, and applies them.
func (m *sourceMaps) apply(s *pprofx.Snapshot, pressed func() bool) *pprofx.Snapshot {
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
	m.countLate(s, late)
	return sourcemap.Apply(s, scripts)
}

// wait reports whether the map's fate is known in time.
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

// sayLate notes once that a script's map was not there in time.
func (m *sourceMaps) sayLate(s *mappedScript) {
	if s != nil && !s.late {
		s.late = true
		m.log.Debug("source map not yet read", "script", s.name, "after", time.Since(s.since).Round(time.Millisecond))
	}
}

// countLate counts the samples that go out with generated positions because a map is not there yet.
func (m *sourceMaps) countLate(s *pprofx.Snapshot, late map[int32]bool) {
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

func (m *sourceMaps) countCut(n int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cuts = n
}

func (m *sourceMaps) counts() MapStats {
	if m == nil {
		return MapStats{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}
