package labels

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/v8/heap"
)

// learnStore finds which rules apply to the store of one AsyncLocalStorage.
func (p *Learner) learnStore(storage heap.Word, hash uint32) error {
	root, err := p.learner.RootOf(storage)
	if err != nil && hash == 0 {
		return err
	}
	return p.sampler.SetStore(p.id, hash, bpf.Store{Node: orNone(root.Node), Label: orNone(root.Label)})
}
