package pprofx

// pprofFold is a profile that snapshots are added to. It keeps what is distinct, encoded as in the file: samples that
// differ only in their time and CPU are a number.
type pprofFold struct {
	style pprofStyle
	max   pprofLimits

	strings   pprofTable // element 0 is empty
	locations *pprofLocations
	stacks    pprofTable // lists of location ids. Stacks that differ in what pprof cannot express, as the tier, are one
	labels    pprofTable // lists of labels
	sets      LabelLimit
	samples   []pprofSample
	byKey     map[pprofKey]int32

	otherStack int32 // or absent
	header     pprofHeader
	left       LeftOut
	key        []byte // scratch
}

type pprofLimits struct{ frames, stacks, labels, samples int }

type pprofSample struct {
	pprofKey
	n      int64
	weight int64 // of the measure, in its unit
}

type pprofKey struct {
	stack, labels int32
	pid, tid      int32
	thread        int32 // index into strings
	state         State
	measure       Measure
}

func newPprofFold(style pprofStyle, limits pprofLimits) *pprofFold {
	f := &pprofFold{
		style: style, max: limits,
		strings: newPprofTable(), stacks: newPprofTable(), labels: newPprofTable(),
		sets: LabelLimit{Max: limits.labels}, byKey: make(map[pprofKey]int32),
		otherStack: absent, header: newPprofHeader(),
	}
	f.strings.add("")
	f.locations = newPprofLocations(&f.strings, limits.frames)
	return f
}

// count counts a sample that stands for n and a weight, of whose labels something may be left out.
func (f *pprofFold) count(k pprofKey, n, weight int64, left string) {
	i, ok := f.byKey[k]
	if !ok {
		if len(f.samples) >= f.max.samples {
			if n > 0 { // of a sample for values only there is no hit
				f.left.Samples += n
				f.header.lost[k.measure][LostFull] += n
			}
			return
		}
		i = int32(len(f.samples))
		f.samples = append(f.samples, pprofSample{pprofKey: k})
		f.byKey[k] = i
	}
	f.samples[i].n += n
	f.samples[i].weight += weight
	f.left.countLabels(left, 1)
	if k.stack == f.otherStack {
		f.left.Stacks++
	}
}

// thread returns the number of a thread's name, absent if it is new and there is no room for its samples.
func (f *pprofFold) thread(name string) int32 {
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
func (f *pprofFold) labelSet(labels []Label) (id int32, left string) {
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
		labels = ReduceLabels(labels)
	}
}

func (f *pprofFold) encodeLabels(labels []Label) {
	f.key = f.key[:0]
	for i := range labels {
		f.key = appendPprofLabel(f.key, &f.strings, &labels[i])
	}
}

// stack returns the number of the stack whose location ids are in f.key.
func (f *pprofFold) stack() int32 {
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
func (f *pprofFold) other() int32 {
	if f.otherStack == absent {
		f.otherStack = f.stacks.intern(appendLocationID(nil, f.locations.other()))
	}
	return f.otherStack
}
