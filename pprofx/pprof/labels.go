package pprof

import (
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// zeroUnit is given to a number that is zero and has no unit: profile.proto cannot tell such a label from none. pprof
// prints a count as a plain number.
const zeroUnit = "count"

// Labels that Write adds to each sample. A label of the application that has one of these keys gets the prefix
// "label.".
const (
	keyThreadName = "thread_name" // string
	keyThreadID   = "thread_id"   // number
	keyPID        = "pid"         // number
	keyVMState    = "vm_state"    // string, see State
)

// style holds the keys of labels that are not the same in all styles.
type style struct {
	threadName, threadID string                              // empty: there are no labels but those of the request
	rename               func([]pprofx.Label) []pprofx.Label // of the labels of the request; nil keeps them
}

var hotspanStyle = style{threadName: keyThreadName, threadID: keyThreadID}

// renamed returns the labels of a request with the keys that they have in the profile.
func (p *style) renamed(labels []pprofx.Label) []pprofx.Label {
	if p.rename != nil {
		labels = p.rename(labels)
	}
	taken := func(l pprofx.Label) bool { return p.key(l.Key) != l.Key }
	if !slices.ContainsFunc(labels, taken) {
		return labels
	}
	labels = slices.Clone(labels)
	for i := range labels {
		labels[i].Key = p.key(labels[i].Key)
	}
	return labels
}

// allKnown reports whether all strings of labels are in a table.
func allKnown(strings *table, labels []pprofx.Label) bool {
	for i := range labels {
		for _, s := range [...]string{labels[i].Key, labels[i].Str, labels[i].Unit} {
			if _, ok := strings.known(s); !ok {
				return false
			}
		}
	}
	return true
}

// appendOwn appends the labels that a sample has besides those of the request.
func (p *style) appendOwn(b []byte, strings *table, r *pprofx.Row, thread string) []byte {
	if p.threadID == "" {
		return b
	}
	b = appendLabel(b, strings, &pprofx.Label{Key: p.threadID, Num: int64(r.TID)})
	b = appendLabel(b, strings, &pprofx.Label{Key: keyPID, Num: int64(r.PID)})
	b = appendLabel(b, strings, &pprofx.Label{Key: keyVMState, Str: r.State.String()})
	if thread != "" {
		b = appendLabel(b, strings, &pprofx.Label{Key: p.threadName, Str: thread})
	}
	return b
}

func (p *style) key(key string) string {
	switch key {
	case p.threadName, p.threadID, keyPID, keyVMState:
		return "label." + key
	}
	return key
}

func appendLabel(b []byte, strings *table, l *pprofx.Label) []byte {
	var room [64]byte // a label is four numbers
	label := appendNumber(room[:0], labelKey, strings.str(l.Key))
	if l.Str != "" {
		label = appendNumber(label, labelStr, strings.str(l.Str))
		return appendMessage(b, sampleLabel, label)
	}
	unit := l.Unit
	if l.Num == 0 && unit == "" {
		unit = zeroUnit
	}
	label = appendNumber(label, labelNum, l.Num)
	label = appendNumber(label, labelUnit, strings.str(unit))
	return appendMessage(b, sampleLabel, label)
}
