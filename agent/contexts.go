package agent

import (
	"fmt"
	"slices"
	"time"

	reqctx "github.com/hotspan/hotspan/context"
)

// ThreadContexts is what was seen in one thread of a process.
type ThreadContexts struct {
	TID     int
	Name    string
	Looks   int // how often it was looked at
	Current int // of them while a store was current
	Stores  []SeenStore
}

// SeenStore is a store, with how often one of the same storage and of the same properties was met.
type SeenStore struct {
	Store
	Seen int
}

// Contexts is what was seen in a process.
type Contexts struct {
	NodeProcess
	Threads []ThreadContexts // those that run JavaScript, the main thread first
}

// maxKinds bounds the kinds of store that are told of one thread.
const maxKinds = 12

// FindContexts watches the threads of a process for a time and tells which stores were current, with values as examples
// and with the labels that rules make of them. It does not stop the process. The error says why nothing can be read.
func FindContexts(pid int, rules []reqctx.Rule, d time.Duration) (*Contexts, error) {
	s := newSurvey()
	p, err := s.look(pid)
	if err != nil {
		return nil, explainAccess(pid, err)
	}
	p.finish(pid)
	if err := requireContext(p.l); err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	threads, err := p.threads()
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	reader := &storeReader{r: p.r, l: p.l, examples: true, rules: rules}
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(watchEvery) {
		for i := range threads {
			threads[i].look(p, reader)
		}
	}
	out := &Contexts{NodeProcess: p.NodeProcess}
	for _, t := range threads {
		out.Threads = append(out.Threads, t.ThreadContexts)
	}
	return out, nil
}

// watched is a thread and its isolate.
type watched struct {
	ThreadContexts
	now isolateStores
}

// threads are those that have an isolate.
func (p *looked) threads() ([]watched, error) {
	offset, err := isolateOffset(p.PID, p.mem, p.l, p.bias)
	if err != nil {
		return nil, err
	}
	tasks, err := tasks(p.PID)
	if err != nil {
		return nil, explainAccess(p.PID, err)
	}
	want := map[uint32]bool{}
	for _, t := range tasks {
		want[uint32(t.inner)] = true
	}
	found := threadPointers(p.mem, p.maps, want)
	var out []watched
	for _, t := range tasks {
		pointer, ok := found[uint32(t.inner)]
		if !ok {
			continue
		}
		w, err := p.r.WordAt(pointer + uint64(offset))
		if err != nil || w == 0 {
			continue
		}
		out = append(out, watched{ThreadContexts{TID: t.tid, Name: t.name}, isolateStores{r: p.r, l: p.l, at: uint64(w)}})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no thread was found that runs JavaScript: threads' control blocks are known for glibc only")
	}
	return out, nil
}

// look keeps what is current in the thread now.
func (t *watched) look(p *looked, r *storeReader) {
	t.Looks++
	c, ok := t.now.current()
	if !ok {
		return
	}
	if !p.Frame.Seen {
		p.saw(c)
	}
	stores := r.stores(c.stores)
	if len(stores) > 0 {
		t.Current++
	}
	for _, s := range stores {
		i := slices.IndexFunc(t.Stores, func(o SeenStore) bool {
			return o.Name == s.Name && slices.Equal(o.Properties, s.Properties)
		})
		switch {
		case i >= 0:
			t.Stores[i].Seen++
			t.Stores[i].add(&s)
		case len(t.Stores) < maxKinds:
			t.Stores = append(t.Stores, SeenStore{s, 1})
		}
	}
}

// add keeps labels and examples that were not met before.
func (s *SeenStore) add(o *Store) {
	for _, l := range o.Labels {
		if !slices.Contains(s.Labels, l) {
			s.Labels = append(s.Labels, l)
		}
	}
	for path, text := range o.Examples {
		if _, ok := s.Examples[path]; !ok {
			s.Examples[path] = text
			if path != "" {
				s.Values = append(s.Values, path)
			}
		}
	}
}
