package labels

import (
	"errors"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	reqctx "github.com/hotspan/hotspan/context"
)

// manyTries is how often an object of a class must not be recognized until the class counts as unknown: an object may
// be moving, or gone, when it is read.
const manyTries = 32

// learnWork reads the C++ class of an object of Node's that the pool works on. After manyTries an unknown class is
// written to the BPF maps too, as one whose objects have no known request. Class 0 stands for AsyncWraps, which may be
// gone, and is never unknown.
func (p *Learner) learnWork(kind uint8, object, class uint64) error {
	w, err := p.learner.OwnerLayout(object, class)
	if err != nil {
		if p.unknownClasses == nil || len(p.unknownClasses) >= maxUnknownClasses {
			p.unknownClasses = map[uint64]int{}
		}
		if p.unknownClasses[class]++; class == 0 || !errors.Is(err, reqctx.ErrUnknownClass) ||
			p.unknownClasses[class] < manyTries {
			return err
		}
	}
	return p.sampler.SetWork(p.id, uint32(kind), class, bpf.Work{
		Resource: int32(w.Resource), Id: int32(w.AsyncID), Frame: int32(w.Frame), Field: uint32(w.FrameField),
		Realm: int32(w.Realm), Isolate: uint32(w.Isolate),
	})
}

// maxUnknownClasses bounds the classes in Learner.unknownClasses.
const maxUnknownClasses = 256
