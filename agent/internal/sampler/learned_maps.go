package sampler

import (
	"slices"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// learnedMaps are the BPF maps of what is learned of processes.
type learnedMaps struct {
	environments *learned[bpf.EnvironmentKey]
	loops        *learned[bpf.EnvironmentKey]
	resources    *learned[bpf.ShapeKey]
	works        *learned[bpf.WorkKey]
	keptPlaces   *learned[bpf.KeptKey] // of files

	mu  sync.Mutex
	ids map[int][]uint32 // bpf.Process.Id, each that a pid had
}

func newLearnedMaps(o *bpf.Objects) *learnedMaps {
	return &learnedMaps{
		environments: newLearned[bpf.EnvironmentKey](o.Environments),
		loops:        newLearned[bpf.EnvironmentKey](o.Loops),
		resources:    newLearned[bpf.ShapeKey](o.Resources),
		works:        newLearned[bpf.WorkKey](o.Works), keptPlaces: newLearned[bpf.KeptKey](o.KeptPlaces),
		ids: map[int][]uint32{},
	}
}

func (l *learnedMaps) setID(pid int, id uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.ids[pid], id) {
		l.ids[pid] = append(l.ids[pid], id)
	}
}

// forget removes what was learned of a process.
func (l *learnedMaps) forget(pid int) {
	l.mu.Lock()
	ids := l.ids[pid]
	delete(l.ids, pid)
	l.mu.Unlock()
	for _, id := range ids {
		l.environments.forget(id)
		l.loops.forget(id)
		l.resources.forget(id)
		l.works.forget(id)
	}
}
