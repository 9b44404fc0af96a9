package pprofx

import (
	"github.com/google/pprof/profile"
)

// zeroUnit is given to a number that is zero and has no unit: profile.proto cannot tell such a label from none. pprof
// prints a count as a plain number.
const zeroUnit = "count"

// Labels that WritePprof adds to each sample. A label of the application that has one of these keys gets the prefix
// "label.".
const (
	keyThreadName = "thread_name" // string
	keyThreadID   = "thread_id"   // number
	keyPID        = "pid"         // number
	keyVMState    = "vm_state"    // string, see State
)

// pprofLabels holds the keys of labels that are not the same in all styles.
type pprofLabels struct {
	threadName, threadID string
	rename               func([]Label) []Label // of the labels of the request; nil keeps them
}

// add adds the labels of the request, and those that a row has besides them, to a sample.
func (p pprofLabels) add(sample *profile.Sample, s *Snapshot, r *Row) {
	labels := s.LabelSets[r.Labels]
	if p.rename != nil {
		labels = p.rename(labels)
	}
	sample.Label = make(map[string][]string)
	sample.NumLabel = make(map[string][]int64)
	sample.NumUnit = make(map[string][]string)
	for i := range labels {
		addPprofLabel(sample, p.key(labels[i].Key), &labels[i])
	}
	addPprofLabel(sample, p.threadID, &Label{Num: int64(r.TID)})
	addPprofLabel(sample, keyPID, &Label{Num: int64(r.PID)})
	addPprofLabel(sample, keyVMState, &Label{Str: r.State.String()})
	if thread := s.Threads[r.Thread]; thread != "" {
		addPprofLabel(sample, p.threadName, &Label{Str: thread})
	}
}

func (p pprofLabels) key(key string) string {
	switch key {
	case p.threadName, p.threadID, keyPID, keyVMState:
		return "label." + key
	}
	return valid(key)
}

func addPprofLabel(sample *profile.Sample, key string, l *Label) {
	if l.Str != "" {
		sample.Label[key] = append(sample.Label[key], valid(l.Str))
		return
	}
	unit := valid(l.Unit)
	if l.Num == 0 && unit == "" {
		unit = zeroUnit
	}
	sample.NumLabel[key] = append(sample.NumLabel[key], l.Num)
	sample.NumUnit[key] = append(sample.NumUnit[key], unit)
}
