package otlp

import (
	"github.com/hotspan/hotspan/pprofx"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

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
		thread: e.optional("thread.name", e.snapshot.Threads[r.Thread]),
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
