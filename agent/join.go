package agent

import (
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf16"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/heap"
)

// maxLabelSets bounds the sets of labels that are kept; over it they start anew.
const maxLabelSets = 1 << 16

// learnt is what the BPF program was told of the objects of a process.
type learnt struct {
	shapes map[uint64]bool // by hidden class
	stores map[uint32]bool // by identity hash
	hooks  learntHooks
	values []reqctx.Value // of the sample at hand
}

func newLearnt() learnt {
	return learnt{shapes: map[uint64]bool{}, stores: map[uint32]bool{}}
}

// join makes labels of the context that was read with a sample, and learns what the program did not know.
func (a *Agent) join(t *target, s *sampler.Sample) []pprofx.Label {
	if len(s.Context) == 0 {
		return nil
	}
	sets := a.setsOf(t)
	if labels, ok := sets[string(s.Context)]; ok {
		t.flags.present = true
		return labels
	}
	t.learnt.values = t.learnt.values[:0]
	t.published.sets = [reqctx.NumReaders][]reqctx.Label{}
	t.learnt.hooks.thread = s.Tid
	err := s.ContextRecords(func(kind, label uint8, data []byte) { a.contextRecord(t, kind, label, data) })
	if err != nil {
		t.flags.unreadable = true
	}
	labels, bad := a.tree.Decode(t.learnt.values)
	a.stats.BadLabels += int64(bad)
	t.published.sets[reqctx.Stores] = labels
	labels = reqctx.Merge(&t.published.sets)
	for _, l := range labels {
		a.matched[l.Key] = true
	}
	out := convertLabels(labels)
	if bad == 0 && t.flags.whole() {
		keepLabels(a.setsOf(t), string(s.Context), out)
	}
	return out
}

// setsOf are the label sets that may be used again for a process: the bytes of what it publishes mean nothing in another.
func (a *Agent) setsOf(t *target) map[string][]pprofx.Label {
	if t.published.process != nil {
		return t.published.labelSets
	}
	return a.labelSets
}

func keepLabels(sets map[string][]pprofx.Label, context string, labels []pprofx.Label) {
	if len(sets) >= maxLabelSets {
		clear(sets)
	}
	sets[context] = labels
}

func convertLabels(labels []reqctx.Label) []pprofx.Label {
	out := make([]pprofx.Label, len(labels))
	for i, l := range labels {
		out[i] = pprofx.Label{Key: l.Key, Str: l.Str, Num: l.Num}
	}
	return out
}

func (a *Agent) contextRecord(t *target, kind, label uint8, data []byte) {
	v := reqctx.Value{Label: int(label)}
	switch kind {
	case bpf.ContextPresent:
		t.flags.present = true
		return
	case bpf.ContextUnreadable:
		t.flags.unreadable = true
		return
	case bpf.ContextOverLimit:
		t.flags.overLimit = true
		return
	case bpf.ContextRecordOTel, bpf.ContextLocalNode, bpf.ContextLocalThread:
		a.publishedRecord(t, kind, label, data)
		return
	case bpf.ContextOneByte:
		v.Str = (&heap.Text{One: data}).String()
	case bpf.ContextTwoByte:
		v.Str = twoByte(data)
	case bpf.ContextSmi, bpf.ContextDouble:
		if len(data) != 8 {
			return
		}
		v.IsNum = true
		if bits := binary.LittleEndian.Uint64(data); kind == bpf.ContextSmi {
			v.Num = float64(int64(bits))
		} else {
			v.Num = math.Float64frombits(bits)
		}
	default:
		t.flags.learning = true
		if len(data) == 16 {
			a.learn(t, kind, label, binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:]))
		}
		return
	}
	t.learnt.values = append(t.learnt.values, v)
}

func twoByte(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// learn tells the program what it did not know when it took a sample. What cannot be read, because the object is gone,
// is asked for again by the next sample that meets it.
func (a *Agent) learn(t *target, kind, label uint8, first, second uint64) {
	var err error
	switch kind {
	case bpf.ContextLearnShape:
		err = a.learnShape(t, int(label), heap.Word(first), heap.Word(second))
	case bpf.ContextLearnSymbol:
		err = a.take(t, t.learner.Learn(t.nodeOf(label), heap.Word(first)))
	case bpf.ContextLearnStore:
		err = a.learnStore(t, heap.Word(first), uint32(second))
	default:
		err = a.learnHooks(t, kind, first, second)
	}
	if err != nil {
		a.log.Debug("not learnt", "pid", t.pid, "kind", kind, "why", err)
	}
}

// learnShape learns the hidden class that was met, and what the object leads to.
func (a *Agent) learnShape(t *target, node int, object, class heap.Word) error {
	if node >= len(a.tree.Nodes) {
		return nil
	}
	lesson := t.learner.Learn(node, object)
	if _, ok := lesson.Shapes[class]; !ok { // the object is another by now
		s, err := t.learner.Shape(node, class)
		if err != nil {
			return err
		}
		lesson.Shapes[class] = s
	}
	return a.take(t, lesson)
}

// nodeOf is the node that an edge begins at.
func (t *target) nodeOf(edge uint8) int {
	for i, n := range t.config.Nodes {
		if edge >= n.First && edge < n.First+n.N_edges {
			return i
		}
	}
	return 0
}

// take tells the program what was learnt.
func (a *Agent) take(t *target, lesson reqctx.Lesson) error {
	for class, s := range lesson.Shapes {
		t.learnt.shapes[uint64(class)] = true
		shape := bpf.Shape{Descriptors: s.Descriptors, Own: s.Own, Slots: s.Slots}
		if err := a.sampler.SetShape(t.pid, uint64(class), shape); err != nil {
			return err
		}
	}
	changed := false
	for i, e := range t.edges {
		if hash := lesson.Symbols[e.Name]; e.Symbol && hash != 0 && t.config.Edges[i].Hash != hash {
			t.config.Edges[i].Hash, changed = hash, true
		}
	}
	if !changed {
		return nil
	}
	return a.publish(t)
}

func (a *Agent) learnStore(t *target, storage heap.Word, hash uint32) error {
	root, err := t.learner.Store(storage)
	if err != nil && hash == 0 {
		return err
	}
	t.learnt.stores[hash] = true
	return a.sampler.SetStore(t.pid, hash, bpf.Store{Node: none(root.Node), Label: none(root.Label)})
}

// unmatched are the rules of the user that never made a label.
func (a *Agent) unmatched() []Unmatched {
	seen := slices.Clone(a.seen)
	for _, t := range a.targets {
		seen = append(seen, t.learner.Seen...)
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	var out []Unmatched
	for _, r := range a.config.Rules {
		if !a.matched[r.Label] {
			out = append(out, Unmatched{Label: r.Label, Seen: seen})
		}
	}
	return out
}
