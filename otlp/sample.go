package otlp

import (
	"slices"

	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"

	"github.com/hotspan/hotspan/pprofx"
)

// samples returns one process's rows, those of equal key as one sample.
func (e *encoder) samples(rows []int32) []*profilespb.Sample {
	var out []*profilespb.Sample
	clear(e.byKey)
	for _, i := range rows {
		r := &e.snapshot.Rows[i]
		labels := e.labelSet(r.Labels)
		key := e.sampleKey(r, labels)
		sample, ok := e.byKey[key]
		if !ok {
			sample = key.sample(labels.attrs)
			out = append(out, sample)
			e.byKey[key] = sample
		}
		switch {
		case e.snapshot.Measure == pprofx.HitCount && r.Others == 0 && len(sample.Values) == 0:
			sample.TimestampsUnixNano = append(sample.TimestampsUnixNano, uint64(r.Time)) // which counts as one
		case e.snapshot.Measure != pprofx.CPUTime:
			ones := len(sample.TimestampsUnixNano) - len(sample.Values)
			sample.TimestampsUnixNano = append(sample.TimestampsUnixNano, uint64(r.Time))
			sample.Values = append(sample.Values, slices.Repeat([]int64{1}, ones)...)
			sample.Values = append(sample.Values, e.snapshot.Weight(r))
		case !e.snapshot.Untimed:
			sample.TimestampsUnixNano = append(sample.TimestampsUnixNano, uint64(r.Time))
		case len(sample.Values) == 0:
			sample.Values = []int64{1}
		default:
			sample.Values[0]++
		}
	}
	return out
}

func (e *encoder) sampleKey(r *pprofx.Row, labels *labelSet) sampleKey {
	k := sampleKey{
		stack:  e.stack(r.Stack),
		link:   labels.link,
		labels: labels.list,
		thread: e.optional("thread.name", e.snapshot.Threads[r.Thread]),
		tid:    e.dict.attr(attr{key: "thread.id", num: int64(r.TID), number: true}),
		cpu:    e.dict.attr(attr{key: "cpu.logical_number", num: int64(r.CPU), number: true}),
	}
	if r.State != pprofx.StateOther {
		k.state = e.optional("hotspan.vm_state", r.State.String())
	}
	if r.Stop != pprofx.StopRoot {
		k.stop = e.optional("hotspan.stop", r.Stop.String())
	}
	if r.Turn != 0 {
		k.turn = e.dict.attr(attr{key: loopTurn, num: int64(r.Turn), number: true})
	}
	if r.Start != 0 {
		k.start = e.dict.attr(attr{key: requestStart, num: r.Start, number: true, unit: "ns"})
	}
	if r.Others != 0 && e.snapshot.Measure.Weighted() { // else it is the value
		k.hits = e.dict.attr(attr{key: hitsKey, num: r.Hits(), number: true})
	}
	return k
}

func (k sampleKey) sample(labels []int32) *profilespb.Sample {
	attributes := make([]int32, 0, len(labels)+8)
	for _, i := range [...]int32{k.thread, k.tid, k.cpu, k.state, k.stop, k.turn, k.start, k.hits} {
		if i != 0 {
			attributes = append(attributes, i)
		}
	}
	return &profilespb.Sample{
		StackIndex: k.stack, LinkIndex: k.link, AttributeIndices: append(attributes, labels...),
	}
}
