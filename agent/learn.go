package agent

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/heap"
)

// pupil is what is learnt of one process. It is learnt where records are read, on another goroutine than samples are
// named on: a name may take long, and until the program has learnt a class each sample that meets it lacks labels.
type pupil struct {
	sync.Mutex
	id      uint32 // of the process, in the BPF program
	learner *reqctx.Learner
	asked   map[question]time.Time
	// strangers are C++ classes that libuv's pool worked on, with how often objects of them were not known.
	strangers map[uint64]int
	// isolates are those that have async_hooks, with when the program asked for them first.
	isolates map[bpf.EnvironmentKey]time.Time
}

// question is after the hash of a name that large tables in an isolate may have. A table is large to read, and may not
// have the name at all, so it is asked seldom.
type question struct {
	isolate uint64
	name    uint8
}

const (
	askEvery     = time.Second
	maxQuestions = 1 << 12
)

// mayAsk reports whether a question was not asked lately, and notes that it is.
func (p *pupil) mayAsk(q question) bool {
	now := time.Now()
	if now.Sub(p.asked[q]) < askEvery {
		return false
	}
	if p.asked == nil || len(p.asked) >= maxQuestions {
		p.asked = map[question]time.Time{}
	}
	p.asked[q] = now
	return true
}

// seen are the property names that the process's stores had.
func (p *pupil) seen() []string {
	p.Lock()
	defer p.Unlock()
	return append([]string(nil), p.learner.Seen...)
}

// teach tells the program what it did not know when it took a sample.
func (a *Agent) teach(s *sampler.Sample) {
	if len(s.Context) == 0 {
		return
	}
	v, ok := a.pupils.Load(int(s.Pid))
	if !ok {
		return
	}
	p := v.(*pupil)
	p.Lock()
	defer p.Unlock()
	// A record that is malformed is counted where the sample is handled.
	_ = s.ContextRecords(func(kind, label uint8, data []byte) {
		if !isLesson(kind) || len(data) != 16 {
			return
		}
		first, second := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		if err := a.learn(p, s.Tid, kind, label, first, second); err != nil {
			a.log.Debug("not learnt", "pid", s.Pid, "kind", kind, "why", err)
		}
	})
}

func isLesson(kind uint8) bool {
	switch kind {
	case bpf.ContextLearnShape, bpf.ContextLearnKey, bpf.ContextLearnStore,
		bpf.ContextLearnIsolate, bpf.ContextLearnResource, bpf.ContextLearnSymbol, bpf.ContextLearnWork:
		return true
	}
	return false
}

// learn handles one lesson. What cannot be read, because the object is gone, is asked for again by the next sample that
// meets it.
func (a *Agent) learn(p *pupil, thread uint32, kind, label uint8, first, second uint64) error {
	switch kind {
	case bpf.ContextLearnShape:
		return a.learnShape(p, int(label), heap.Word(first), heap.Word(second))
	case bpf.ContextLearnKey:
		if !p.mayAsk(question{second, label}) {
			return nil
		}
		if hash, ok := p.learner.Hash(int(label), heap.Word(first)); ok {
			return a.sampler.SetHash(p.id, second, int(label), hash)
		}
	case bpf.ContextLearnStore:
		return a.learnStore(p, heap.Word(first), uint32(second))
	case bpf.ContextLearnWork:
		return a.learnWork(p, label, first, second)
	}
	return a.learnHooks(p, thread, kind, first, second)
}

// learnShape learns the hidden class that was met, and what the object leads to.
func (a *Agent) learnShape(p *pupil, node int, object, class heap.Word) error {
	if node >= len(a.tree.Nodes) {
		return nil
	}
	lesson := p.learner.Learn(node, object)
	if _, ok := lesson.Shapes[class]; !ok { // the object is another by now
		s, err := p.learner.Shape(node, class)
		if err != nil {
			return err
		}
		lesson.Shapes[class] = s
	}
	return a.take(p, lesson)
}

// take tells the program what was learnt.
func (a *Agent) take(p *pupil, lesson reqctx.Lesson) error {
	for class, s := range lesson.Shapes {
		shape := bpf.Shape{Descriptors: s.Descriptors, Own: s.Own, Slots: s.Slots}
		if err := a.sampler.SetShape(p.id, uint64(class), shape); err != nil {
			return err
		}
	}
	return nil
}

func (a *Agent) learnStore(p *pupil, storage heap.Word, hash uint32) error {
	root, err := p.learner.Store(storage)
	if err != nil && hash == 0 {
		return err
	}
	return a.sampler.SetStore(p.id, hash, bpf.Store{Node: none(root.Node), Label: none(root.Label)})
}
