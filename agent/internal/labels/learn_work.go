package labels

import (
	"errors"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	reqctx "github.com/hotspan/hotspan/context"
)

// manyTries is how often an object of a class must not be what is known until none of the class is: an object may be
// moving when it is looked at, or gone.
const manyTries = 32

// learnWork learns the class of an object of Node's that the pool works on. One that is not known is told in the end,
// too: its objects belong to no request that can be told. Class 0 stands for AsyncWraps, which may be gone too.
func (l *Learners) learnWork(p *Learner, kind uint8, object, class uint64) error {
	w, err := p.learner.OwnerLayout(object)
	if err != nil {
		if p.unknownClasses == nil || len(p.unknownClasses) >= maxUnknownClasses {
			p.unknownClasses = map[uint64]int{}
		}
		if p.unknownClasses[class]++; class == 0 || !errors.Is(err, reqctx.ErrUnknownClass) ||
			p.unknownClasses[class] < manyTries {
			return err
		}
	}
	return l.sampler.SetWork(p.id, uint32(kind), class, bpf.Work{
		Resource: int32(w.Resource), Id: int32(w.AsyncID), Frame: int32(w.Frame), Field: uint32(w.FrameField),
		Realm: int32(w.Realm), Isolate: uint32(w.Isolate),
	})
}

// maxUnknownClasses bounds the classes of which it is kept how often they were not known.
const maxUnknownClasses = 256
