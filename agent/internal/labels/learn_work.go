package labels

import (
	"encoding/binary"
	"errors"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/context/nodejs"
)

// manyTries is how often an object of a class must not be recognized until the class counts as unknown: while the
// collector moves what the object refers to, it may not be seen for what it is.
const manyTries = 32

// learnWork finds where objects of a C++ class have what they belong to, from a record of one that the pool works on.
// It believes what two objects say, one after the other. After manyTries the class is written to the BPF maps as one
// whose objects have no known request.
func (p *Learner) learnWork(record []byte) error {
	var seen bpf.JobObject
	if n, err := binary.Decode(record, binary.LittleEndian, &seen); err != nil || n != len(record) {
		return sampler.ErrMalformed
	}
	w, err := nodejs.FindOwnerLayout(p.heap, &nodejs.JobObject{
		Wrap: seen.Class == 0, Words: seen.Words, WorkOwner: seen.Owner,
		HandleFrame: seen.Frames&bpf.FrameInHandle != 0, FieldFrame: seen.Frames&bpf.FrameInField != 0,
	})
	if p.works == nil || len(p.works) >= maxWorks {
		p.works = map[uint64]work{}
	}
	known := p.works[seen.Class]
	defer func() { p.works[seen.Class] = known }()
	if err != nil {
		if seen.Class == 0 || !errors.Is(err, nodejs.ErrUnknownClass) {
			return err
		}
		if known.unknown++; known.unknown < manyTries {
			return err
		}
	} else if known.layout != w {
		known.layout = w
		return nil
	}
	return p.sampler.SetWork(p.id, seen.Class, bpf.Work{
		Resource: int32(w.Resource), Id: int32(w.AsyncID), Frame: int32(w.Frame), Field: uint32(w.FrameField),
		Realm: int32(w.Realm), Isolate: uint32(w.Isolate),
	})
}

// maxWorks bounds the classes in Learner.works.
const maxWorks = 256
