package context

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// Process is what a process publishes about itself. (OpenTelemetry, OTEP 4719)
type Process struct {
	Published uint64   // CLOCK_BOOTTIME in nanoseconds; another one is another publication
	Resource  []Label  // attributes of the resource, in their order; those that are strings, numbers or booleans
	Left      int      // attributes of the resource that are none of these
	Schema    string   // of the thread context records; empty for none
	Keys      []string // of their attributes, by number
	// Wrapped is the offset of a record's address in the object that the internal field of a Node.js context points
	// to; -1 where it points to the record itself.
	Wrapped int
}

// HasThreads reports whether the schema of the thread contexts is one that is known.
func (p *Process) HasThreads() bool {
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
	readTries      = 3
)

// ErrChanging says that a process context is being changed.
var ErrChanging = errors.New("process context is being changed")

// PublishedAt reads when the process context at an address was published; 0 while it is being changed.
func PublishedAt(mem io.ReaderAt, at uint64) (uint64, error) {
	var h [processHeader]byte
	if _, err := mem.ReadAt(h[:], int64(at)); err != nil {
		return 0, fmt.Errorf("process context: %w", err)
	}
	if string(h[:8]) != "OTEL_CTX" {
		return 0, fmt.Errorf("process context: signature %q", h[:8])
	}
	return binary.LittleEndian.Uint64(h[16:]), nil
}

// ReadProcess reads the process context whose mapping begins at an address. ErrChanging is for later.
func ReadProcess(mem io.ReaderAt, at uint64) (*Process, error) {
	for range readTries {
		before, err := PublishedAt(mem, at)
		if err != nil {
			return nil, err
		}
		payload, err := readPayload(mem, at)
		after, err2 := PublishedAt(mem, at)
		switch {
		case err2 != nil:
			return nil, err2
		case before == 0 || after != before:
			continue // what was read is of no publication
		case err != nil:
			return nil, err
		}
		p, err := decodeProcess(payload)
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
		return nil, fmt.Errorf("process context: payload of %d bytes, more than 0 and at most %d are read", size, maxPayload)
	}
	b := make([]byte, size)
	if _, err := mem.ReadAt(b, int64(binary.LittleEndian.Uint64(h[24:]))); err != nil {
		return nil, fmt.Errorf("process context: payload: %w", err)
	}
	return b, nil
}

// decodeProcess takes ProcessContext{Resource resource = 1; repeated KeyValue attributes = 2} apart.
// (opentelemetry/proto/processcontext/v1development; Resource{repeated KeyValue attributes = 1})
func decodeProcess(b []byte) (*Process, error) {
	p := &Process{Wrapped: -1}
	err := fields(b, func(number protowire.Number, b []byte) error {
		switch number {
		case 1:
			return fields(b, func(number protowire.Number, b []byte) error {
				if number != 1 {
					return nil
				}
				return keyValue(b, p.addResource)
			})
		case 2:
			return keyValue(b, p.addAttribute)
		}
		return nil
	})
	return p, err
}

func (p *Process) addResource(key string, v value) {
	if l := v.label(key); l.IsNum || l.Str != "" {
		p.Resource = append(p.Resource, l)
	} else if v.kind != protowire.BytesType || v.field != 1 {
		p.Left++
	}
}

func (p *Process) addAttribute(key string, v value) {
	switch key {
	case "threadlocal.schema_version":
		p.Schema = string(v.bytes)
	case "threadlocal.attribute_key_map":
		p.Keys = v.strings()
	case "threadlocal.native_wrap_fields_offset": // @datadog/pprof up to 5.18: the record is behind a C++ object
		if v.field == 3 && v.number < 1<<12 {
			p.Wrapped = int(v.number)
		}
	}
}
