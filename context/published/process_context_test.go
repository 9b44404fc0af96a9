package published

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/protobuf/encoding/protowire"

	reqctx "github.com/hotspan/hotspan/context"
)

// resourceBytes is a Resource as OpenTelemetry's own library writes it: out of a message that has one.
func resourceBytes(t testing.TB, fill func(pcommon.Map)) []byte {
	t.Helper()
	traces := ptrace.NewTraces()
	fill(traces.ResourceSpans().AppendEmpty().Resource().Attributes())
	b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // TracesData.resource_spans, ResourceSpans.resource
		number, kind, n := protowire.ConsumeTag(b)
		if number != 1 || kind != protowire.BytesType {
			t.Fatalf("field %d of type %d", number, kind)
		}
		b, _ = protowire.ConsumeBytes(b[n:])
	}
	return b
}

// payload is a ProcessContext of a resource and attributes.
func payload(t testing.TB, resource, attributes func(pcommon.Map)) []byte {
	b := protowire.AppendTag(nil, 1, protowire.BytesType)
	b = protowire.AppendBytes(b, resourceBytes(t, resource))
	for rest := resourceBytes(t, attributes); len(rest) > 0; {
		_, _, n := protowire.ConsumeTag(rest)
		pair, m := protowire.ConsumeBytes(rest[n:])
		b = protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), pair)
		rest = rest[n+m:]
	}
	return b
}

func examplePayload(t testing.TB) []byte {
	return payload(t, func(m pcommon.Map) {
		m.PutStr("service.name", "shop")
		m.PutInt("process.pid", 1)
		m.PutBool("canary", true)
		m.PutDouble("weight", 0.5)
		m.PutEmptySlice("list").AppendEmpty().SetStr("x")
		m.PutStr("empty", "")
	}, func(m pcommon.Map) {
		m.PutStr("threadlocal.schema_version", "nodejs_v1_dev")
		keys := m.PutEmptySlice("threadlocal.attribute_key_map")
		keys.AppendEmpty().SetStr("http.route")
		keys.AppendEmpty().SetInt(5)
		keys.AppendEmpty().SetStr("user")
		m.PutInt("threadlocal.native_wrap_fields_offset", 0)
		m.PutInt("threadlocal.tagged_size", 8)
	})
}

// published is the memory of a process: a header at 0, the payload behind it.
func publishedAt(time uint64, payload []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("OTEL_CTX"), 2)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.LittleEndian.AppendUint64(b, time)
	b = binary.LittleEndian.AppendUint64(b, processHeader)
	return append(b, payload...)
}

func TestReadProcess(t *testing.T) {
	got, err := ReadProcessContext(bytes.NewReader(publishedAt(77, examplePayload(t))), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := &ProcessContext{
		Published: 77,
		Resource: []reqctx.Label{
			{Key: "service.name", Str: "shop"}, {Key: "process.pid", Num: 1, IsNum: true}, {Key: "canary", Str: "true"},
			{Key: "weight", Str: "0.5"},
		},
		Skipped: 1, Schema: "nodejs_v1_dev", Keys: []string{"http.route", "", "user"}, WrapOffset: 0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !got.HasThreadContexts() || (&ProcessContext{}).HasThreadContexts() ||
		(&ProcessContext{Schema: "nodejs_v2"}).HasThreadContexts() {
		t.Error("schemas")
	}
}

func TestReadProcessWrong(t *testing.T) {
	good := publishedAt(77, examplePayload(t))
	change := func(at int, b ...byte) []byte {
		return append(append(bytes.Clone(good[:at]), b...), good[at+len(b):]...)
	}
	for name, c := range map[string]struct {
		memory []byte
		want   string
	}{
		"other signature":   {change(0, 'X'), "signature"},
		"other version":     {change(8, 1), "version 1"},
		"no payload":        {change(12, 0, 0, 0, 0), "payload of 0 bytes"},
		"huge payload":      {change(12, 1, 0, 1, 0), "payload of 65537 bytes"},
		"payload elsewhere": {change(28, 1), "payload"},
		"not mapped":        {good[:31], "EOF"},
		"no protobuf":       {publishedAt(5, []byte{1, 2, 3}), "process context"},
		"cut off":           {publishedAt(5, examplePayload(t)[:40]), "EOF"},
		"being changed":     {change(16, 0), ErrChanging.Error()},
	} {
		if p, err := ReadProcessContext(bytes.NewReader(c.memory), 0); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want %q", name, p, err, c.want)
		}
	}
}

// changing is memory whose owner publishes anew at each read of the payload, so many times.
type changing struct {
	memory []byte
	times  *int
}

func (c changing) ReadAt(b []byte, at int64) (int, error) {
	n, err := bytes.NewReader(c.memory).ReadAt(b, at)
	if at >= processHeader && *c.times > 0 {
		*c.times--
		c.memory[16]++
	}
	return n, err
}

func TestReadProcessWhileItChanges(t *testing.T) {
	for times, want := range map[int]error{1: nil, 2: nil, 3: ErrChanging} {
		left := times
		p, err := ReadProcessContext(changing{publishedAt(7, examplePayload(t)), &left}, 0)
		if !errors.Is(err, want) || want == nil && p.Published != uint64(7+times) {
			t.Errorf("changed %d times: %+v, %v", times, p, err)
		}
	}
}

func FuzzReadProcess(f *testing.F) {
	f.Add(publishedAt(77, examplePayload(f)))
	f.Fuzz(func(t *testing.T, memory []byte) {
		p, err := ReadProcessContext(io.NewSectionReader(bytes.NewReader(memory), 0, int64(len(memory))), 0)
		if err == nil && len(p.Keys) > maxKeys {
			t.Errorf("%d keys", len(p.Keys))
		}
	})
}
