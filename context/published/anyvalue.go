package published

import (
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	reqctx "github.com/hotspan/hotspan/context"
)

// anyValue is an AnyValue. (opentelemetry/proto/common/v1: string_value = 1, bool_value = 2, int_value = 3,
// double_value = 4, array_value = 5, kvlist_value = 6, bytes_value = 7)
type anyValue struct {
	field  protowire.Number // 0 = none
	kind   protowire.Type
	number uint64
	bytes  []byte
}

// label has no value where v is none that a label can have.
func (v anyValue) label(key string) reqctx.Label {
	l := reqctx.Label{Key: key}
	switch v.field {
	case 1:
		if utf8.Valid(v.bytes) {
			l.Str = string(v.bytes)
		}
	case 2:
		l.Str = strconv.FormatBool(v.number != 0)
	case 3:
		l.Num, l.IsNum = int64(v.number), true
	case 4:
		l.SetNumber(math.Float64frombits(v.number))
	}
	return l
}

// strings are the first items, up to a limit, of an ArrayValue{repeated AnyValue values = 1}. What is no string is
// empty, so that the others keep their index.
func (v anyValue) strings(limit int) []string {
	if v.field != 5 {
		return nil
	}
	var out []string
	err := eachField(v.bytes, func(number protowire.Number, b []byte) error {
		item, err := decodeAnyValue(b)
		if number == 1 && len(out) < limit {
			out = append(out, item.label("").Str)
		}
		return err
	})
	if err != nil {
		return nil
	}
	return out
}

// decodeKeyValue calls f with a KeyValue{string key = 1; AnyValue value = 2}, if it has a key.
func decodeKeyValue(b []byte, f func(string, anyValue)) error {
	var key string
	var v anyValue
	err := eachField(b, func(number protowire.Number, b []byte) (err error) {
		switch number {
		case 1:
			key = string(b)
		case 2:
			v, err = decodeAnyValue(b)
		}
		return err
	})
	if err == nil && key != "" && utf8.ValidString(key) {
		f(key, v)
	}
	return err
}

func decodeAnyValue(b []byte) (v anyValue, err error) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return v, protowire.ParseError(n)
		}
		b = b[n:]
		next := anyValue{field: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			next.number, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			next.number, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			next.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return v, protowire.ParseError(n)
		}
		b, v = b[n:], next
	}
	return v, nil
}

// eachField calls f for each field of a message that holds bytes, a string or a message, and skips the others.
func eachField(b []byte, f func(protowire.Number, []byte) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
				return protowire.ParseError(n)
			}
			b = b[n:]
			continue
		}
		data, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := f(number, data); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
