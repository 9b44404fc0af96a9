package pprof

import "github.com/hotspan/hotspan/pprofx"

// view has the numbers that the entries of one snapshot have in a profile, so that each is looked up once.
type view struct {
	fold                    *fold
	s                       *pprofx.Snapshot
	stacks, labels, threads []int32  // by index in the snapshot, or absent
	left                    []string // what is left out of each set of labels
	functions, single       []int32  // of each frame, and its location where no function is inlined; or absent
	group                   []*pprofx.Frame
	groupFunctions          []int32
}

func newView(f *fold, s *pprofx.Snapshot) *view {
	return &view{
		fold: f, s: s,
		stacks: allAbsent(len(s.Stacks)), labels: allAbsent(len(s.LabelSets)), threads: allAbsent(len(s.Threads)),
		left:      make([]string, len(s.LabelSets)),
		functions: allAbsent(len(s.Frames)), single: allAbsent(len(s.Frames)),
	}
}

// count counts one row.
func (v *view) count(r *pprofx.Row) {
	k := sampleKey{
		v.stack(r.Stack), v.labelSet(r.Labels), r.PID, r.TID, v.thread(r.Thread), r.State, v.s.Measure,
	}
	v.fold.count(k, r.Hits(), v.s.Weight(r), v.left[r.Labels])
}

func (v *view) thread(i int32) int32 {
	if v.threads[i] == absent {
		v.threads[i] = v.fold.thread(v.s.Threads[i])
	}
	return v.threads[i]
}

func (v *view) labelSet(i int32) int32 {
	if v.labels[i] == absent {
		v.labels[i], v.left[i] = v.fold.labelSet(v.s.LabelSets[i])
	}
	return v.labels[i]
}

func (v *view) stack(i int32) int32 {
	if v.stacks[i] == absent {
		v.stacks[i] = v.newStack(v.s.Stacks[i])
	}
	return v.stacks[i]
}

func (v *view) newStack(stack []int32) int32 {
	f := v.fold
	if len(stack) == 1 && *v.s.Frames[stack[0]] == *otherFrame {
		return f.other()
	}
	f.key = f.key[:0]
	for len(stack) > 0 {
		n := inlineGroup(v.s.Frames, stack)
		location, ok := v.location(stack[:n])
		if !ok {
			return f.other()
		}
		f.key = appendLocationID(f.key, location)
		stack = stack[n:]
	}
	return f.stack()
}

func (v *view) location(group []int32) (int32, bool) {
	if len(group) == 1 && v.single[group[0]] != absent {
		return v.single[group[0]], true
	}
	v.group, v.groupFunctions = v.group[:0], v.groupFunctions[:0]
	for _, i := range group {
		frame := v.s.Frames[i]
		if v.functions[i] == absent {
			id, ok := v.fold.locations.function(frame)
			if !ok {
				return 0, false
			}
			v.functions[i] = id
		}
		v.group, v.groupFunctions = append(v.group, frame), append(v.groupFunctions, v.functions[i])
	}
	id, ok := v.fold.locations.location(v.group, v.groupFunctions)
	if ok && len(group) == 1 {
		v.single[group[0]] = id
	}
	return id, ok
}
