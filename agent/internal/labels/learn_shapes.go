package labels

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/heap"
)

// learnShape reads the hidden class of an object, and those of the objects that rules reach from it.
func (p *Learner) learnShape(node int, object, class heap.Word) error {
	if node >= len(p.tree.Nodes) {
		return nil
	}
	update := p.learner.ShapesFrom(node, object)
	if _, ok := update.Shapes[class]; !ok { // the object has another hidden class now
		s, err := p.learner.Shape(node, class)
		if err != nil {
			return err
		}
		update.Shapes[class] = s
	}
	return p.setShapes(update)
}

// setShapes writes hidden classes to the BPF maps.
func (p *Learner) setShapes(update reqctx.ShapeUpdate) error {
	for class, s := range update.Shapes {
		shape := bpf.Shape{Descriptors: s.Descriptors, Own: s.OwnDescriptors, Slots: s.Slots}
		if err := p.sampler.SetShape(p.id, uint64(class), shape); err != nil {
			return err
		}
	}
	return nil
}

func (p *Learner) learnStore(storage heap.Word, hash uint32) error {
	root, err := p.learner.RootOf(storage)
	if err != nil && hash == 0 {
		return err
	}
	return p.sampler.SetStore(p.id, hash, bpf.Store{Node: orNone(root.Node), Label: orNone(root.Label)})
}
