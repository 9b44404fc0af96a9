package otlp

import (
	"github.com/hotspan/hotspan/pprofx"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// encoder writes a snapshot into one message. It remembers by index what it has already put into the tables, so a
// frame, a stack or a label set costs its look-ups once.
type encoder struct {
	snapshot *pprofx.Snapshot
	dict     *dictionary
	places   []*place    // by frame of the snapshot
	stacks   []int32     // by stack of the snapshot, 0 for one that was not yet needed
	labels   []*labelSet // by label set of the snapshot
	lists    map[string]int32
	byKey    map[sampleKey]pprofile.Sample

	key, locationKey []byte // scratch
	indices          []int32
	lines            []line
}

// sampleKey is what makes a sample: profiles.proto's stack, link and set of attributes. All are indices into the
// tables, but labels, which is one into lists.
type sampleKey struct {
	stack, link, labels           int32
	thread, tid, cpu, state, stop int32
}

func newEncoder(s *pprofx.Snapshot, tables pprofile.ProfilesDictionary) *encoder {
	return &encoder{
		snapshot: s,
		dict:     newDictionary(tables),
		places:   make([]*place, len(s.Frames)),
		stacks:   make([]int32, len(s.Stacks)),
		labels:   make([]*labelSet, len(s.LabelSets)),
		lists:    map[string]int32{},
		byKey:    map[sampleKey]pprofile.Sample{},
	}
}

// samples adds one process's rows, those of equal key to one sample.
func (e *encoder) samples(to pprofile.SampleSlice, rows []int32) {
	clear(e.byKey)
	for _, i := range rows {
		r := &e.snapshot.Rows[i]
		labels := e.labelSet(r.Labels)
		key := e.sampleKey(r, labels)
		sample, ok := e.byKey[key]
		if !ok {
			sample = to.AppendEmpty()
			key.fill(sample, labels.attrs)
			e.byKey[key] = sample
		}
		sample.TimestampsUnixNano().Append(uint64(r.Time))
	}
}

func (e *encoder) sampleKey(r *pprofx.Row, labels *labelSet) sampleKey {
	k := sampleKey{
		stack:  e.stack(r.Stack),
		link:   labels.link,
		labels: labels.list,
		thread: e.optional("thread.name", r.Thread),
		tid:    e.number("thread.id", int64(r.TID)),
		cpu:    e.number("cpu.logical_number", int64(r.CPU)),
	}
	if r.State != pprofx.StateOther {
		k.state = e.optional("hotspan.vm_state", r.State.String())
	}
	if r.Stop != pprofx.StopRoot {
		k.stop = e.optional("hotspan.stop", r.Stop.String())
	}
	return k
}

func (e *encoder) number(key string, n int64) int32 {
	return e.dict.attr(attr{key: key, num: n, number: true})
}

func (k sampleKey) fill(to pprofile.Sample, labels []int32) {
	to.SetStackIndex(k.stack)
	to.SetLinkIndex(k.link)
	to.AttributeIndices().EnsureCapacity(len(labels) + 5)
	for _, i := range [...]int32{k.thread, k.tid, k.cpu, k.state, k.stop} {
		if i != 0 {
			to.AttributeIndices().Append(i)
		}
	}
	to.AttributeIndices().Append(labels...)
}
