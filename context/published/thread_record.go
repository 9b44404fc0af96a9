package published

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"unicode/utf8"

	reqctx "github.com/hotspan/hotspan/context"
)

// MaxAttributeBytes bounds what is read of the attributes of one record. The BPF program has the same bound.
const MaxAttributeBytes = 612

// Offsets in a thread context record, in bytes; the trace id is at 0. (OTEP 4947)
const (
	recordSpan       = 16
	recordValid      = 24 // 1 = the record may be read
	recordSize       = 26 // of the attributes, u16
	recordAttributes = 28
)

// Record is a decoded thread context record, and how much of it made no label.
type Record struct {
	Labels    []reqctx.Label
	Unknown   int  // number of attributes whose key is not in the process context
	Bad       int  // number of attributes that are no UTF-8, or whose key is empty or one of an id
	Truncated bool // the record has more than was read, or than the limits allow
}

// DecodeRecord decodes a thread context record from its bytes in memory; the last of them may be missing.
// keys are ProcessContext.Keys. ok is false for bytes that are no record, or one that is not valid.
//
// OTEP 4947: ids are binary, all zero for none; an attribute is the number of its key, its length and that many bytes;
// of two with the same key the last counts; an incomplete attribute ends the list.
func DecodeRecord(b []byte, keys []string) (r Record, ok bool) {
	if len(b) < recordAttributes || b[recordValid] != 1 {
		return r, false
	}
	r.addID(reqctx.TraceID, b[:recordSpan])
	if len(r.Labels) > 0 { // a span is one of a trace
		r.addID(reqctx.SpanID, b[recordSpan:recordValid])
	}
	size, rest := int(binary.LittleEndian.Uint16(b[recordSize:])), b[recordAttributes:]
	r.Truncated = size > len(rest)
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
	r.Labels = slices.DeleteFunc(r.Labels, func(l reqctx.Label) bool { return l.Str == "" })
	return r, true
}

func (r *Record) addID(key string, id []byte) {
	for _, b := range id {
		if b != 0 {
			r.Labels = append(r.Labels, reqctx.Label{Key: key, Str: hex.EncodeToString(id)})
			return
		}
	}
}

func (r *Record) set(key string, value []byte) {
	i := slices.IndexFunc(r.Labels, func(l reqctx.Label) bool { return l.Key == key })
	switch {
	case key == "" || key == reqctx.TraceID || key == reqctx.SpanID || !utf8.Valid(value):
		r.Bad++
	case i >= 0:
		r.Labels[i].Str = string(value)
	case len(r.Labels) == reqctx.MaxPublishedLabels:
		r.Truncated = true
	default:
		r.Labels = append(r.Labels, reqctx.Label{Key: key, Str: string(value)})
	}
}

// DecodeCustomLabel makes a label of one of Polar Signals' custom labels. b is its key, which has keyLength bytes, and
// its value behind that. ok is false if they are no UTF-8, or the key is empty. (Custom Label ABI, version 1)
func DecodeCustomLabel(b []byte, keyLength int) (l reqctx.Label, ok bool) {
	if keyLength == 0 || keyLength > len(b) || !utf8.Valid(b[:keyLength]) || !utf8.Valid(b[keyLength:]) {
		return l, false
	}
	return reqctx.Label{Key: string(b[:keyLength]), Str: string(b[keyLength:])}, true
}
