package pprof

import (
	"bufio"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a profile.proto as it is in the file. Since its strings come last, and its stacks before what they
// refer to, all of it is read before anything has a name. Stacks, labels and values are the varints that they are in
// the file; of stacks and values each is there once.
type message struct {
	types   []valueType
	samples []sampleRefs
	labels  byteList  // of each sample: key, string, number and unit of each label
	stacks  byteTable // ids of locations
	values  byteTable

	mappings  []mappingRefs
	locations []locationRefs
	lines     []lineRefs // of all locations
	functions []functionRefs
	strings   []string

	time, duration, period int64
	periodType             valueType
	comments               []uint64
	names                  [profileDocURL + 1]uint64 // of the fields that only refer to strings

	sample struct{ stack, labels, values []byte } // scratch
}

// readMessage reads a profile.proto. What it refers to is not looked at.
func readMessage(from *bufio.Reader) (*message, error) {
	m := &message{stacks: newByteTable(), values: newByteTable()}
	in := stream{from: from}
	fields := 0
	for {
		err := in.next()
		switch {
		case err == io.EOF && fields == 0:
			return nil, errors.New("empty input file")
		case err == io.EOF:
			return m, nil
		case err == nil:
			err = m.add(&in.field)
		}
		if err != nil {
			return nil, err
		}
		fields++
	}
}

func (m *message) add(f *field) error {
	switch f.number {
	case profileSampleType:
		return readEntry(&m.types, f, (*valueType).read)
	case profileSample:
		return readEntry(&m.samples, f, m.readSample)
	case profileMapping:
		return readEntry(&m.mappings, f, (*mappingRefs).read)
	case profileLocation:
		return readEntry(&m.locations, f, m.readLocation)
	case profileFunction:
		return readEntry(&m.functions, f, (*functionRefs).read)
	case profileString:
		return readEntry(&m.strings, f, func(s *string, text []byte) error {
			*s = string(text)
			return nil
		})
	case profilePeriodType:
		m.periodType = valueType{}
		text, err := f.message()
		if err != nil {
			return err
		}
		return m.periodType.read(text)
	case profileComment:
		return m.addComments(f)
	}
	return m.addNumber(f)
}

// addNumber takes one of the fields that are numbers.
func (m *message) addNumber(f *field) error {
	if f.number == 0 || f.number > profileDocURL {
		return nil
	}
	n, err := f.num()
	switch f.number {
	case profileTime:
		if m.time != 0 {
			return errors.New("concatenated profiles detected")
		}
		m.time = int64(n)
	case profileDuration:
		m.duration = int64(n)
	case profilePeriod:
		m.period = int64(n)
	default:
		m.names[f.number] = n
	}
	return err
}

func (m *message) addComments(f *field) error {
	packed, _, err := f.appendNumbers(nil)
	for len(packed) > 0 && err == nil {
		x, n := protowire.ConsumeVarint(packed)
		packed = packed[n:]
		err = addEntry(&m.comments, x)
	}
	return err
}

func (m *message) readSample(to *sampleRefs, message []byte) (err error) {
	s := &m.sample
	s.stack, s.labels, s.values = s.stack[:0], s.labels[:0], s.values[:0]
	f := fieldsOf(message)
	for f.next() {
		switch f.number {
		case sampleLocations:
			s.stack, _, err = f.appendNumbers(s.stack)
		case sampleValues:
			s.values, _, err = f.appendNumbers(s.values)
		case sampleLabel:
			s.labels, err = appendLabelRefs(s.labels, &f.field)
		}
		if err != nil {
			return err
		}
	}
	m.labels.add(s.labels)
	to.stack, to.values = m.stacks.intern(s.stack), m.values.intern(s.values)
	return f.err
}

func (m *message) readLocation(to *locationRefs, message []byte) error {
	to.line = int32(len(m.lines))
	f := fieldsOf(message)
	for f.next() {
		switch f.number {
		case locationID:
			f.set(&to.id)
		case locationMapping:
			f.set(&to.mapping)
		case locationAddress:
			f.set(&to.address)
		case locationLine:
			if err := readEntry(&m.lines, &f.field, (*lineRefs).read); err != nil {
				return err
			}
		default:
			f.ignore(lastOfLocation)
		}
	}
	to.end = int32(len(m.lines))
	return f.err
}
