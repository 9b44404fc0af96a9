package pprofx

// addressesPerValue bounds the addresses that are remembered, for the reason given at pointersPerFrame.
const addressesPerValue = 2

// sampleStack is stack for the stack of a sample.
func (t *Tables) sampleStack(s *Sample) int32 {
	if !s.Shared || len(s.Stack) == 0 {
		return t.Stack(s.Stack)
	}
	at := address[*Frame]{&s.Stack[0], len(s.Stack)}
	id, ok := t.stackAddresses[at]
	if !ok {
		id = t.Stack(s.Stack)
		if len(t.stackAddresses) < addressesPerValue*len(t.stacks) {
			t.stackAddresses[at] = id
		}
	}
	return id
}

// sharedLabels is labelSet for labels that never change.
func (t *Tables) sharedLabels(labels []Label) int32 {
	if len(labels) == 0 {
		return 0
	}
	at := address[Label]{&labels[0], len(labels)}
	id, ok := t.labelAddresses[at]
	if !ok {
		id = t.LabelSet(labels)
		if len(t.labelAddresses) < addressesPerValue*len(t.labels) {
			t.labelAddresses[at] = id
		}
	}
	return id
}
