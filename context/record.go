package context

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"unicode/utf8"
)

// Limits of a published record or set of labels. The BPF program has the same.
const (
	MaxAttributeBytes  = 612 // of one record
	MaxPublishedLabels = 64  // of one sample and reader
)

// Offsets in a thread context record. (OTEP 4947)
const (
	recordSpan       = 16
	recordValid      = 24
	recordSize       = 26
	recordAttributes = 28
)

// Record is what a thread context record says, and what it had that made no label.
type Record struct {
	Labels  []Label
	Unknown int  // attributes whose key is not in the process context
	Bad     int  // values that are no UTF-8
	Cut     bool // it had more than was read, or than the limits allow
}

// DecodeRecord takes a thread context record apart, as it was in memory; keys are those of the process context. ok is
// false for one that is none or not valid. (OTEP 4947: ids are binary, all zero for none; attributes are {key, length,
// bytes}; of equal keys the last counts; an incomplete attribute ends them.)
func DecodeRecord(b []byte, keys []string) (r Record, ok bool) {
	if len(b) < recordAttributes || b[recordValid] != 1 {
		return r, false
	}
	r.addID(TraceID, b[:recordSpan])
	if len(r.Labels) > 0 { // a span is one of a trace
		r.addID(SpanID, b[recordSpan:recordValid])
	}
	size, rest := int(binary.LittleEndian.Uint16(b[recordSize:])), b[recordAttributes:]
	r.Cut = size > len(rest)
	rest = rest[:min(size, len(rest), MaxAttributeBytes)]
	for len(rest) >= 2 && len(rest) >= 2+int(rest[1]) {
		n := 2 + int(rest[1])
		if key := int(rest[0]); key < len(keys) {
			r.set(keys[key], rest[2:n])
		} else {
			r.Unknown++
		}
		rest = rest[n:]
	}
	r.Labels = slices.DeleteFunc(r.Labels, func(l Label) bool { return l.Str == "" })
	return r, true
}

func (r *Record) addID(key string, id []byte) {
	for _, b := range id {
		if b != 0 {
			r.Labels = append(r.Labels, Label{Key: key, Str: hex.EncodeToString(id)})
			return
		}
	}
}

func (r *Record) set(key string, value []byte) {
	i := slices.IndexFunc(r.Labels, func(l Label) bool { return l.Key == key })
	switch {
	case key == "" || key == TraceID || key == SpanID || !utf8.Valid(value):
		r.Bad++
	case i >= 0:
		r.Labels[i].Str = string(value)
	case len(r.Labels) == MaxPublishedLabels:
		r.Cut = true
	default:
		r.Labels = append(r.Labels, Label{Key: key, Str: string(value)})
	}
}

// LocalLabel makes a label of Polar Signals' custom labels: b is its key, which has n bytes, and its value. ok is false
// where they are no UTF-8, or the key is empty. (Custom Label ABI (v1))
func LocalLabel(b []byte, n int) (l Label, ok bool) {
	if n == 0 || n > len(b) || !utf8.Valid(b[:n]) || !utf8.Valid(b[n:]) {
		return l, false
	}
	return Label{Key: string(b[:n]), Str: string(b[n:])}, true
}
