package labels

import (
	"errors"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/uvpool"
	reqctx "github.com/hotspan/hotspan/context"
)

// manyTries is how often an object of a class must not be recognized until the class counts as unknown: what the object
// refers to may be moving when it is read.
const manyTries = 32

// learnWork reads the C++ class of an object of Node's that the pool works on. After manyTries an unknown class of
// ThreadPoolWorks is written to the BPF maps too, as one whose objects have no known request.
func (p *Learner) learnWork(kind uint8, object, work uint64) error {
	class, w, err := p.learner.OwnerLayout(reqctx.Job{Object: object, Work: work, Queued: kind == uint8(uvpool.Queued)})
	if err != nil {
		if p.unknownClasses == nil || len(p.unknownClasses) >= maxUnknownClasses {
			p.unknownClasses = map[uint64]int{}
		}
		if class == 0 || !errors.Is(err, reqctx.ErrUnknownClass) {
			return err
		}
		if p.unknownClasses[class]++; p.unknownClasses[class] < manyTries {
			return err
		}
	}
	return p.sampler.SetWork(p.id, class, bpf.Work{
		Resource: int32(w.Resource), Id: int32(w.AsyncID), Frame: int32(w.Frame), Field: uint32(w.FrameField),
		Realm: int32(w.Realm), Isolate: uint32(w.Isolate),
	})
}

// maxUnknownClasses bounds the classes in Learner.unknownClasses.
const maxUnknownClasses = 256
