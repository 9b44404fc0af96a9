package pprof

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is a field of a message: a number, or bytes. Fields of 4 and 8 bytes, which profile.proto does not have,
// are neither.
type field struct {
	number protowire.Number // at most MaxValidNumber, which no field has that is known
	typ    protowire.Type
	n      uint64
	bytes  []byte
}

// setTag takes what precedes a field.
func (f *field) setTag(tag uint64) {
	f.number = protowire.Number(min(tag>>3, uint64(protowire.MaxValidNumber)))
	f.typ = protowire.Type(tag & 7)
	f.n, f.bytes = 0, nil
}

func (f *field) typeError() error {
	return fmt.Errorf("field %d has wire type %d", f.number, f.typ)
}

// num returns the number that the field is.
func (f *field) num() (uint64, error) {
	if f.typ != protowire.VarintType {
		return 0, f.typeError()
	}
	return f.n, nil
}

// message returns the message or the text that the field is.
func (f *field) message() ([]byte, error) {
	if f.typ != protowire.BytesType {
		return nil, f.typeError()
	}
	return f.bytes, nil
}

// appendNumbers appends the numbers of a repeated field, packed or one of them, as varints, and returns how many.
func (f *field) appendNumbers(to []byte) ([]byte, int, error) {
	if f.typ != protowire.BytesType {
		n, err := f.num()
		return protowire.AppendVarint(to, n), 1, err
	}
	count := 0
	for rest := f.bytes; len(rest) > 0; count++ {
		_, n := protowire.ConsumeVarint(rest)
		if n < 0 {
			return nil, 0, protowire.ParseError(n)
		}
		rest = rest[n:]
	}
	return append(to, f.bytes...), count, nil
}

// fields goes through the fields of a message.
type fields struct {
	field
	rest []byte
	err  error // ends it
}

func fieldsOf(message []byte) fields { return fields{rest: message} }

func (f *fields) next() bool {
	if len(f.rest) == 0 || f.err != nil {
		return false
	}
	f.setTag(f.varint())
	switch f.typ {
	case protowire.VarintType:
		f.n = f.varint()
	case protowire.BytesType:
		f.bytes = f.take(f.varint())
	case protowire.Fixed64Type:
		f.take(8)
	case protowire.Fixed32Type:
		f.take(4)
	default:
		f.fail(f.typeError())
	}
	return f.err == nil
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *fields) varint() uint64 {
	x, n := protowire.ConsumeVarint(f.rest)
	if n < 0 {
		f.fail(protowire.ParseError(n))
		return 0
	}
	f.rest = f.rest[n:]
	return x
}

func (f *fields) take(n uint64) []byte {
	if n > uint64(len(f.rest)) {
		f.fail(io.ErrUnexpectedEOF)
		return nil
	}
	taken := f.rest[:n]
	f.rest = f.rest[n:]
	return taken
}

// set sets a number of the message.
func (f *fields) set(to *uint64) {
	n, err := f.num()
	if err != nil {
		f.fail(err)
		return
	}
	*to = n
}

// ignore passes over a field. Up to this number they are known, and all numbers.
func (f *fields) ignore(last protowire.Number) {
	if f.number > 0 && f.number <= last {
		var n uint64
		f.set(&n)
	}
}

// stream goes through the fields of a message that is too large to be in memory.
type stream struct {
	field
	from *bufio.Reader
	buf  bytes.Buffer // of the field; it grows with what is there, not with what a length says
}

// next reads a field, whose bytes are valid until the next. The error is io.EOF after the last.
func (s *stream) next() error {
	if _, err := s.from.Peek(1); err != nil {
		return err
	}
	err := s.read()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (s *stream) read() error {
	tag, err := binary.ReadUvarint(s.from)
	if err != nil {
		return err
	}
	s.setTag(tag)
	switch s.typ {
	case protowire.VarintType:
		s.n, err = binary.ReadUvarint(s.from)
	case protowire.BytesType:
		var n uint64
		if n, err = binary.ReadUvarint(s.from); err != nil {
			return err
		}
		s.buf.Reset()
		_, err = io.CopyN(&s.buf, s.from, int64(min(n, maxBytes+1)))
		s.bytes = s.buf.Bytes()
	case protowire.Fixed64Type:
		_, err = s.from.Discard(8)
	case protowire.Fixed32Type:
		_, err = s.from.Discard(4)
	default:
		err = s.typeError()
	}
	return err
}
