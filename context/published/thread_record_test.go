package published

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reqctx "github.com/hotspan/hotspan/context"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736" // of the W3C Trace Context recommendation
	spanID  = "00f067aa0ba902b7"
)

func str(key, s string) reqctx.Label { return reqctx.Label{Key: key, Str: s} }

// threadRecord makes a record as OTEP 4947 says: ids in hexadecimal, and the attributes' bytes.
func threadRecord(trace, span string, valid byte, attributes string) []byte {
	b, _ := hex.DecodeString(trace + span)
	b = append(b, valid, 1)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(attributes)))
	return append(b, attributes...)
}

func attribute(key byte, value string) string { return string([]byte{key, byte(len(value))}) + value }

func TestDecodeRecord(t *testing.T) {
	const noTrace, noSpan = "00000000000000000000000000000000", "0000000000000000"
	keys := []string{"http.route", "user", "", "trace_id"}
	ids := []reqctx.Label{{Key: reqctx.TraceID, Str: traceID}, {Key: reqctx.SpanID, Str: spanID}}
	with := func(more ...reqctx.Label) []reqctx.Label { return append(ids[:2:2], more...) }
	full := threadRecord(traceID, spanID, 1, attribute(0, "/a")+attribute(1, "x"))
	long := strings.Repeat("y", 255)
	for _, c := range []struct {
		name string
		in   []byte
		want Record
		none bool
	}{
		{"ids", threadRecord(traceID, spanID, 1, ""), Record{Labels: ids}, false},
		{"ids and attributes", full, Record{Labels: with(str("http.route", "/a"), str("user", "x"))}, false},
		{"not valid", threadRecord(traceID, spanID, 0, ""), Record{}, true},
		{"valid is 1 only", threadRecord(traceID, spanID, 2, ""), Record{}, true},
		{"too short", full[:27], Record{}, true},
		{"no trace", threadRecord(noTrace, spanID, 1, attribute(0, "/a")),
			Record{Labels: []reqctx.Label{str("http.route", "/a")}}, false},
		{"no span", threadRecord(traceID, noSpan, 1, ""), Record{Labels: ids[:1]}, false},
		{"the last of a key counts", threadRecord(traceID, spanID, 1, attribute(0, "/a")+attribute(0, "/b")),
			Record{Labels: with(str("http.route", "/b"))}, false},
		{"taken back", threadRecord(traceID, spanID, 1, attribute(0, "/a")+attribute(0, "")), Record{Labels: ids},
			false},
		{"unknown key", threadRecord(traceID, spanID, 1, attribute(4, "z")+attribute(1, "x")),
			Record{Labels: with(str("user", "x")), Unknown: 1}, false},
		{"key without a name, and one that is taken",
			threadRecord(traceID, spanID, 1, attribute(2, "z")+attribute(3, "x")), Record{Labels: ids, Bad: 2}, false},
		{"no UTF-8", threadRecord(traceID, spanID, 1, attribute(0, "\xff")+attribute(1, "東")),
			Record{Labels: with(str("user", "東")), Bad: 1}, false},
		{"the longest value", threadRecord(traceID, spanID, 1, attribute(0, long)),
			Record{Labels: with(str("http.route", long))}, false},
		{"incomplete attribute", threadRecord(traceID, spanID, 1, attribute(0, "/a")+"\x01"),
			Record{Labels: with(str("http.route", "/a"))}, false},
		{"incomplete value", threadRecord(traceID, spanID, 1, attribute(0, "/a")+"\x01\x05abcd"),
			Record{Labels: with(str("http.route", "/a"))}, false},
		{"less was read than it has", full[:len(full)-3],
			Record{Labels: with(str("http.route", "/a")), Truncated: true}, false},
		{"nothing of the attributes was read", full[:28], Record{Labels: ids, Truncated: true}, false},
		{"larger than the limit", threadRecord(traceID, spanID, 1,
			attribute(0, long)+attribute(1, long)+attribute(0, long)),
			Record{Labels: with(str("http.route", long), str("user", long)), Truncated: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in
			if len(in) > recordAttributes+MaxAttributeBytes {
				in = in[:recordAttributes+MaxAttributeBytes] // the BPF program copies no more
			}
			got, ok := DecodeRecord(in, keys)
			if diff := cmp.Diff(c.want, got); diff != "" || ok == c.none {
				t.Errorf("%t %s", ok, diff)
			}
		})
	}
}

func TestDecodeRecordKeys(t *testing.T) {
	var keys []string
	var attributes string
	for i := range 100 {
		keys = append(keys, strings.Repeat("k", i+1))
		attributes += attribute(byte(i), "v")
	}
	got, ok := DecodeRecord(threadRecord(traceID, spanID, 1, attributes), keys)
	if !ok || !got.Truncated || len(got.Labels) != reqctx.MaxPublishedLabels {
		t.Errorf("%d labels, cut %t", len(got.Labels), got.Truncated)
	}
}

func TestLocalLabel(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want reqctx.Label
		ok   bool
	}{
		{"keyvalue", 3, reqctx.Label{Key: "key", Str: "value"}, true},
		{"key", 3, reqctx.Label{Key: "key"}, true},
		{"schlüssel東", 10, reqctx.Label{Key: "schlüssel", Str: "東"}, true},
		{"value", 0, reqctx.Label{}, false},
		{"key", 4, reqctx.Label{}, false},
		{"k\xffv", 2, reqctx.Label{}, false},
		{"kv\xff", 1, reqctx.Label{}, false},
	} {
		if got, ok := DecodeCustomLabel([]byte(c.in), c.n); ok != c.ok || got != c.want {
			t.Errorf("%q, %d: %+v %t", c.in, c.n, got, ok)
		}
	}
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add(threadRecord(traceID, spanID, 1, attribute(0, "/a")+attribute(1, "x")))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, ok := DecodeRecord(b, []string{"a", "b", ""})
		if !ok && len(r.Labels) > 0 {
			t.Error("labels of no record")
		}
		for _, l := range r.Labels {
			raw, err := hex.DecodeString(l.Str)
			if id := err == nil && bytes.Contains(b, raw); l.Str == "" || !id && !bytes.Contains(b, []byte(l.Str)) {
				t.Errorf("%s=%q is not in the record", l.Key, l.Str)
			}
		}
	})
}
