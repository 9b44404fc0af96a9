package pprofx

import (
	"strings"

	"github.com/google/pprof/profile"
)

// zeroUnit is given to a number that is zero and has no unit: profile.proto cannot tell such a label from none. pprof
// prints a count as a plain number.
const zeroUnit = "count"

func (w *pprofWriter) addLabels(sample *profile.Sample, labels []Label, r *Row) {
	if w.rename != nil {
		labels = w.rename(labels)
	}
	sample.Label = make(map[string][]string)
	sample.NumLabel = make(map[string][]int64)
	sample.NumUnit = make(map[string][]string)
	for i := range labels {
		addPprofLabel(sample, w.labelKey(labels[i].Key), &labels[i])
	}
	addPprofLabel(sample, w.threadID, &Label{Num: int64(r.TID)})
	addPprofLabel(sample, keyPID, &Label{Num: int64(r.PID)})
	addPprofLabel(sample, keyVMState, &Label{Str: r.State.String()})
	if r.Thread != "" {
		addPprofLabel(sample, w.threadName, &Label{Str: r.Thread})
	}
}

func (w *pprofWriter) labelKey(key string) string {
	switch key {
	case w.threadName, w.threadID, keyPID, keyVMState:
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

// valid makes a string fit for a protobuf: strict readers refuse a whole profile for one byte that is not UTF-8, and
// the kernel cuts names of threads at 15 bytes, in the middle of a character if need be.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
