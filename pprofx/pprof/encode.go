package pprof

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotspan/hotspan/pprofx"
)

// encode writes the profile field by field. The strings come last: the others add to them.
func (f *fold) encode(to io.Writer) error {
	zip := gzip.NewWriter(to)
	o := &output{to: bufio.NewWriter(zip), strings: &f.strings}
	measures := f.header.measures
	if len(measures) == 0 { // there was no snapshot
		measures = []pprofx.Measure{pprofx.CPUTime}
	}
	for _, m := range measures {
		if m != pprofx.HitCount {
			o.valueType(profileSampleType, m.Samples(), "count")
		}
		o.valueType(profileSampleType, m.String(), m.Unit())
	}
	f.encodeSamples(o, measures)
	f.encodeMappings(o)
	o.entities(profileLocation, locationID, f.locations.locations.texts)
	o.entities(profileFunction, functionID, f.locations.functions)
	o.number(profileTime, f.header.start)
	o.number(profileDuration, f.header.end-f.header.start)
	o.valueType(profilePeriodType, measures[0].String(), measures[0].Unit())
	o.number(profilePeriod, max(f.header.period, 1))
	for _, line := range f.header.comments(f.left) {
		o.number(profileComment, f.strings.str(line))
	}
	o.number(profileDefaultSample, f.strings.str(measures[0].String()))
	for _, s := range f.strings.texts {
		o.text(profileString, s)
	}
	return errors.Join(o.to.Flush(), zip.Close())
}

// encodeSamples writes the samples, each with values of its own measure, and 0 for the other.
func (f *fold) encodeSamples(o *output, measures []pprofx.Measure) {
	var sample, values []byte
	for i := range f.samples {
		s := &f.samples[i]
		sample = appendMessage(sample[:0], sampleLocations, []byte(f.stacks.texts[s.stack]))
		values = values[:0]
		for _, m := range measures {
			values = s.appendValues(values, m)
		}
		sample = appendMessage(sample, sampleValues, values)
		sample = append(sample, f.labels.texts[s.labels]...)
		row := pprofx.Row{PID: s.pid, TID: s.tid, State: s.state}
		sample = f.style.appendOwn(sample, &f.strings, &row, f.strings.texts[s.thread])
		o.message(profileSample, sample)
	}
}

// appendValues appends those of a measure.
func (s *sample) appendValues(to []byte, of pprofx.Measure) []byte {
	n, weight := s.n, s.weight
	if s.measure != of {
		n, weight = 0, 0
	}
	to = protowire.AppendVarint(to, uint64(n))
	if of != pprofx.HitCount {
		to = protowire.AppendVarint(to, uint64(weight))
	}
	return to
}

// encodeMappings writes that of the main executable first: to pprof, the first is the main executable.
func (f *fold) encodeMappings(o *output) {
	first, main := -1, f.header.mainExecutable()
	for i, m := range f.locations.mappings {
		if first < 0 && main != "" && m.module == valid(main) {
			first = i
			o.mapping(i, m)
		}
	}
	for i, m := range f.locations.mappings {
		if i != first {
			o.mapping(i, m)
		}
	}
}

// output writes fields of a profile. The first error stays in the bufio.Writer.
type output struct {
	to      *bufio.Writer
	strings *table
	buf     []byte // scratch
}

func (o *output) number(field protowire.Number, n int64) {
	o.buf = appendNumber(o.buf[:0], field, n)
	_, _ = o.to.Write(o.buf)
}

func (o *output) message(field protowire.Number, m []byte) {
	o.length(field, len(m))
	_, _ = o.to.Write(m)
}

func (o *output) text(field protowire.Number, s string) {
	o.length(field, len(s))
	_, _ = io.WriteString(o.to, s)
}

// length writes what precedes a string or an embedded message of n bytes.
func (o *output) length(field protowire.Number, n int) {
	o.buf = protowire.AppendVarint(protowire.AppendTag(o.buf[:0], field, protowire.BytesType), uint64(n))
	_, _ = o.to.Write(o.buf)
}

func (o *output) valueType(field protowire.Number, what, unit string) {
	m := appendNumber(nil, valueTypeType, o.strings.str(what))
	o.message(field, appendNumber(m, valueTypeUnit, o.strings.str(unit)))
}

// entities writes encoded messages, each with its id before it.
func (o *output) entities(field, id protowire.Number, bodies []string) {
	var m []byte
	for i, body := range bodies {
		m = append(appendNumber(m[:0], id, int64(i)+1), body...)
		o.message(field, m)
	}
}

func (o *output) mapping(i int, m *mapping) {
	b := appendNumber(nil, mappingID, int64(i)+1)
	b = appendNumber(b, mappingFile, o.strings.str(m.module))
	b = appendNumber(b, mappingBuildID, o.strings.str(m.buildID))
	b = appendBool(b, mappingFunctions, m.functions)
	b = appendBool(b, mappingFilenames, m.filenames)
	b = appendBool(b, mappingLineNumbers, m.lineNumbers)
	o.message(profileMapping, appendBool(b, mappingInlineFrames, m.inlineFrames))
}
