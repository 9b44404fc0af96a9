package published

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	reqctx "github.com/hotspan/hotspan/context"
)

// ProcessContext is what a process publishes about itself in a memory mapping. (OpenTelemetry, OTEP 4719)
type ProcessContext struct {
	Published uint64         // time of the publication, CLOCK_BOOTTIME in nanoseconds; it tells two publications apart
	Resource  []reqctx.Label // attributes of the resource, in their order: those that are texts, numbers or booleans
	Skipped   int            // number of attributes of the resource that are of other kinds
	Schema    string         // of the thread context records; empty if none are published
	Keys      []string       // of the records' attributes, by number; at most 256
	// WrapOffset is where a record's address is, from the start of the object that the internal field of a Node.js
	// context points to, in bytes below 4096; -1 if the internal field points to the record itself.
	WrapOffset int
}

// HasThreadContexts reports whether the process publishes thread context records by a schema that is known. (OTEP 4947)
func (p *ProcessContext) HasThreadContexts() bool {
	switch p.Schema {
	case "nodejs_v1_dev", "nodejs_v1", "tlsdesc_v1_dev", "tls_v1":
		return true
	}
	return false
}

const (
	processHeader  = 32 // bytes: signature, version u32, size u32, time u64, address u64
	processVersion = 2
	maxPayload     = 1 << 16 // bytes
	maxKeys        = 256
	readTries      = 3 // while the process publishes anew
)

// ErrChanging is the error of ReadProcessContext while the process changes what it publishes. Another try may succeed.
var ErrChanging = errors.New("process context is being changed")

// Time reads when the process context at an address was published: CLOCK_BOOTTIME in nanoseconds, 0 while it is being
// changed. Offsets of mem are addresses of the process. It reads 32 bytes, which is cheap enough to find out whether
// ReadProcessContext would read something new.
func Time(mem io.ReaderAt, at uint64) (uint64, error) {
	var h [processHeader]byte
	if _, err := mem.ReadAt(h[:], int64(at)); err != nil {
		return 0, fmt.Errorf("process context: %w", err)
	}
	if string(h[:8]) != "OTEL_CTX" {
		return 0, fmt.Errorf("process context: signature %q", h[:8])
	}
	return binary.LittleEndian.Uint64(h[16:]), nil
}

// ReadProcessContext reads the process context whose mapping begins at an address. Offsets of mem are addresses of the
// process. It tries three times if the process changes it meanwhile; then the error is ErrChanging. It reads at most 64
// KiB each time.
func ReadProcessContext(mem io.ReaderAt, at uint64) (*ProcessContext, error) {
	for range readTries {
		before, err := Time(mem, at)
		if err != nil {
			return nil, err
		}
		payload, err := readPayload(mem, at)
		after, err2 := Time(mem, at)
		switch {
		case err2 != nil:
			return nil, err2
		case before == 0 || after != before:
			continue // what was read is half of one publication and half of another
		case err != nil:
			return nil, err
		}
		p, err := decodeProcessContext(payload)
		if err != nil {
			return nil, fmt.Errorf("process context: %w", err)
		}
		p.Published = before
		return p, nil
	}
	return nil, ErrChanging
}

func readPayload(mem io.ReaderAt, at uint64) ([]byte, error) {
	var h [processHeader]byte
	if _, err := mem.ReadAt(h[:], int64(at)); err != nil {
		return nil, fmt.Errorf("process context: %w", err)
	}
	version, size := binary.LittleEndian.Uint32(h[8:]), binary.LittleEndian.Uint32(h[12:])
	if version != processVersion {
		return nil, fmt.Errorf("process context: version %d, only %d is known", version, processVersion)
	}
	if size == 0 || size > maxPayload {
		return nil, fmt.Errorf("process context: payload of %d bytes, more than 0 and at most %d are read",
			size, maxPayload)
	}
	b := make([]byte, size)
	if _, err := mem.ReadAt(b, int64(binary.LittleEndian.Uint64(h[24:]))); err != nil {
		return nil, fmt.Errorf("process context: payload: %w", err)
	}
	return b, nil
}

// decodeProcessContext decodes ProcessContext{Resource resource = 1; repeated KeyValue attributes = 2}.
// (opentelemetry/proto/processcontext/v1development; Resource{repeated KeyValue attributes = 1})
func decodeProcessContext(b []byte) (*ProcessContext, error) {
	p := &ProcessContext{WrapOffset: -1}
	err := eachField(b, func(number protowire.Number, b []byte) error {
		switch number {
		case 1:
			return eachField(b, func(number protowire.Number, b []byte) error {
				if number != 1 {
					return nil
				}
				return decodeKeyValue(b, p.addResource)
			})
		case 2:
			return decodeKeyValue(b, p.addAttribute)
		}
		return nil
	})
	return p, err
}

func (p *ProcessContext) addResource(key string, v anyValue) {
	if l := v.label(key); l.IsNum || l.Str != "" {
		p.Resource = append(p.Resource, l)
	} else if v.kind != protowire.BytesType || v.field != 1 {
		p.Skipped++
	}
}

func (p *ProcessContext) addAttribute(key string, v anyValue) {
	switch key {
	case "threadlocal.schema_version":
		p.Schema = string(v.bytes)
	case "threadlocal.attribute_key_map":
		p.Keys = v.strings(maxKeys)
	case "threadlocal.native_wrap_fields_offset": // @datadog/pprof up to 5.18: the record is behind a C++ object
		if v.field == 3 && v.number < 1<<12 {
			p.WrapOffset = int(v.number)
		}
	}
}
