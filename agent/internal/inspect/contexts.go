// Package inspect reads the AsyncLocalStorage stores that are current in the threads of a Node process, while it runs.
package inspect

import (
	"fmt"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	reqctx "github.com/hotspan/hotspan/context"
)

// ThreadContexts are the stores seen in one thread of a process.
type ThreadContexts struct {
	TID     int         `json:"tid"`
	Name    string      `json:"name"`
	Looks   int         `json:"looks"`   // how often it was inspected
	Current int         `json:"current"` // of these, how often a store was current
	Stores  []SeenStore `json:"stores"`
	Others  int         `json:"others,omitempty"` // how often stores were seen that are not in Stores
}

// SeenStore is a store, with how often a store of the same AsyncLocalStorage with the same properties was seen.
type SeenStore struct {
	Store
	Seen    int      `json:"seen"`
	Offered []string `json:"rules,omitempty"` // its Rules
}

// Contexts are the stores seen in a process.
type Contexts struct {
	PID         int              `json:"pid"`
	CommandLine []string         `json:"commandLine"`
	Node        string           `json:"node"` // version; empty if the executable does not contain it
	Location    StoreLocation    `json:"-"`
	Threads     []ThreadContexts `json:"threads"` // those that run JavaScript, the main thread first
}

// maxKinds bounds the reported kinds of store of one thread.
const maxKinds = 12

// FindContexts watches the threads of a process for the time d and returns the stores that were current, with examples
// of values and with the labels that rules make of them. It does not stop the process. The error says why nothing can
// be read.
func FindContexts(pid int, rules []reqctx.Rule, d time.Duration) (*Contexts, error) {
	p, err := process.Open(pid, elffile.NewLayoutCache())
	if err != nil {
		return nil, err
	}
	if err := process.CanReadRequest(p.Layout); err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	out := &Contexts{PID: pid, CommandLine: procs.Arguments(pid), Node: p.Layout.Node}
	out.Location = ExpectedLocation(out.Node, out.CommandLine, procs.Variable(pid, "NODE_OPTIONS"))
	found, err := p.Threads()
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	r := p.Heap()
	var threads []watched
	for _, t := range found {
		threads = append(threads, watched{ThreadContexts{TID: t.TID, Name: t.Name}, NewIsolate(r, t.Isolate)})
	}
	reader := &StoreReader{r: r, l: p.Layout, examples: true, labels: NewLabelReader(p, rules)}
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(watchEvery) {
		for i := range threads {
			if c, ok := threads[i].sample(reader); ok && !out.Location.Seen {
				out.Location = c.Location()
			}
		}
	}
	for _, t := range threads {
		out.Threads = append(out.Threads, t.known())
	}
	return out, nil
}

// watched is a watched thread and its isolate.
type watched struct {
	ThreadContexts
	isolate *Isolate
}

// known returns what was seen of the thread. Stores that were probably read during a change are only counted: the
// process is not stopped.
func (t *watched) known() ThreadContexts {
	out := t.ThreadContexts
	out.Stores = nil
	for _, s := range t.Stores {
		if s.Seen == 1 && t.Current > 20 {
			out.Others++
			continue
		}
		s.Offered = s.Rules()
		out.Stores = append(out.Stores, s)
	}
	return out
}

// sample records the stores that are current in the thread now.
func (t *watched) sample(r *StoreReader) (c Current, ok bool) {
	t.Looks++
	if c, ok = t.isolate.Current(); !ok {
		return c, false
	}
	stores := r.Stores(c.Stores)
	if len(stores) > 0 {
		t.Current++
	}
	t.Others += max(len(c.Stores)-maxStores, 0)
	for _, s := range stores {
		i := slices.IndexFunc(t.Stores, func(o SeenStore) bool {
			return o.Name == s.Name && slices.Equal(o.Properties, s.Properties)
		})
		switch {
		case i >= 0:
			t.Stores[i].Seen++
			t.Stores[i].add(&s)
		case len(t.Stores) < maxKinds:
			t.Stores = append(t.Stores, SeenStore{Store: s, Seen: 1})
		default:
			t.Others++
		}
	}
	return c, true
}

// add adds the labels and examples of another store of the kind.
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
