package pprofx

// LeftOut counts samples of which a part is left out, because a limit was reached or the format has no place for it.
type LeftOut struct {
	Stacks  int64 // the stack is [other]: MaxFrames or MaxStacks
	IDs     int64 // MaxLabelSets: see LeftOutIDs
	Labels  int64 // MaxLabelSets: see LeftOutAll
	Samples int64 // the whole sample, in a file of several snapshots: MaxRows
	// OtherThreads counts whole samples, too: of threads that are not the one of a file that has room for one.
	OtherThreads int64
}

// Add adds other counts.
func (l *LeftOut) Add(o LeftOut) {
	l.Stacks += o.Stacks
	l.IDs += o.IDs
	l.Labels += o.Labels
	l.Samples += o.Samples
	l.OtherThreads += o.OtherThreads
}

// countLabels adds n samples of whose labels something is left out, see leftOut.
func (l *LeftOut) countLabels(left string, n int64) {
	switch left {
	case LeftOutIDs:
		l.IDs += n
	case LeftOutAll:
		l.Labels += n
	}
}

// LeftOut counts the rows of which a part is left out.
func (s *Snapshot) LeftOut() LeftOut {
	out := LeftOut{Stacks: s.Other()}
	rows := make([]int64, len(s.LabelSets))
	for i := range s.Rows {
		rows[s.Rows[i].Labels]++
	}
	for i, labels := range s.LabelSets {
		out.countLabels(leftOut(labels), rows[i])
	}
	return out
}

// LeftOutOf says what has been left out of the labels of one sample.
func LeftOutOf(labels []Label) (l LeftOut) {
	l.countLabels(leftOut(labels), 1)
	return l
}

// Other returns the number of rows whose stack is the one frame OtherFunction, because the snapshot reached MaxFrames
// or MaxStacks.
func (s *Snapshot) Other() int64 {
	var n int64
	for i := range s.Rows {
		stack := s.Stacks[s.Rows[i].Stack]
		if len(stack) == 1 && *s.Frames[stack[0]] == *otherFrame {
			n++
		}
	}
	return n
}
