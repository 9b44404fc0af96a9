package pprof

import (
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// fold is a profile that snapshots are added to. It keeps what is distinct, encoded as in the file: samples that
// differ only in their time and CPU are a number.
type fold struct {
	style style
	max   limits

	strings   table // element 0 is empty
	locations *locations
	stacks    table // lists of location ids. Stacks that differ in what pprof cannot express, as the tier, are one
	labels    table // lists of labels
	sets      pprofx.LabelLimit
	samples   []sample
	byKey     map[sampleKey]int32

	otherStack int32 // or absent
	header     header
	left       pprofx.LeftOut
	key        []byte // scratch
}

type limits struct{ frames, stacks, labels, samples int }

type sample struct {
	sampleKey
	n      int64
	weight int64 // of the measure, in its unit
}

type sampleKey struct {
	stack, labels int32
	pid, tid      int32
	thread        int32 // index into strings
	state         pprofx.State
	measure       pprofx.Measure
}

func newFold(style style, limits limits) *fold {
	f := &fold{
		style: style, max: limits,
		strings: newTable(), stacks: newTable(), labels: newTable(),
		sets: pprofx.LabelLimit{Max: limits.labels}, byKey: make(map[sampleKey]int32),
		otherStack: absent, header: newHeader(),
	}
	f.strings.add("")
	f.locations = newLocations(&f.strings, limits.frames)
	return f
}

// count counts a sample that stands for n and a weight, of whose labels something may be left out.
func (f *fold) count(k sampleKey, n, weight int64, left string) {
	i, ok := f.byKey[k]
	if !ok {
		if len(f.samples) >= f.max.samples {
			if n > 0 { // of a sample for values only there is no hit
				f.left.Samples += n
				f.header.lost[k.measure][pprofx.LostFull] += n
			}
			return
		}
		i = int32(len(f.samples))
		f.samples = append(f.samples, sample{sampleKey: k})
		f.byKey[k] = i
	}
	f.samples[i].n += n
	f.samples[i].weight += weight
	switch left {
	case pprofx.LeftOutIDs:
		f.left.IDs++
	case pprofx.LeftOutAll:
		f.left.Labels++
	}
	if k.stack == f.otherStack {
		f.left.Stacks++
	}
}

// thread returns the number of a thread's name, absent if it is new and there is no room for its samples.
func (f *fold) thread(name string) int32 {
	id, ok := f.strings.known(name)
	switch {
	case ok:
		return int32(id)
	case len(f.samples) >= f.max.samples:
		return absent
	}
	return int32(f.strings.str(name))
}

// labelSet returns the number of a set of labels, or of what the limit leaves of it, and what is left out.
func (f *fold) labelSet(labels []pprofx.Label) (id int32, left string) {
	for {
		renamed := f.style.renamed(labels)
		if allKnown(&f.strings, renamed) {
			f.encodeLabels(renamed)
			if id, ok := f.labels.find(f.key); ok {
				return id, leftOut(labels)
			}
		}
		if f.sets.Admit(labels) {
			f.encodeLabels(renamed)
			return f.labels.add(string(f.key)), leftOut(labels)
		}
		labels = pprofx.ReduceLabels(labels)
	}
}

// leftOut returns what is left out of labels: LeftOutIDs, LeftOutAll, or nothing.
func leftOut(labels []pprofx.Label) string {
	i := slices.IndexFunc(labels, func(l pprofx.Label) bool { return l.Key == pprofx.LeftOutLabel })
	if i < 0 {
		return ""
	}
	return labels[i].Str
}

func (f *fold) encodeLabels(labels []pprofx.Label) {
	f.key = f.key[:0]
	for i := range labels {
		f.key = appendLabel(f.key, &f.strings, &labels[i])
	}
}

// stack returns the number of the stack whose location ids are in f.key.
func (f *fold) stack() int32 {
	id, ok := f.stacks.find(f.key)
	if !ok {
		if len(f.stacks.texts) >= f.max.stacks {
			return f.other()
		}
		id = f.stacks.add(string(f.key))
	}
	return id
}

// other returns the number of the stack [other], which does not count towards the limit.
func (f *fold) other() int32 {
	if f.otherStack == absent {
		f.otherStack = f.stacks.intern(appendLocationID(nil, f.locations.other()))
	}
	return f.otherStack
}
