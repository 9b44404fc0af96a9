package pprof

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxEntries limits each table of what is read: samples, strings, functions, locations, their lines, mappings. A
// few bytes can be one.
const maxEntries = 1 << 24

// Numbers of strings are indices. Functions, locations and mappings have ids, by which others refer to them.
type (
	valueType struct{ name, unit uint64 }

	sampleRefs struct{ stack, values int32 } // in the tables

	mappingRefs struct{ id, file, buildID uint64 }

	locationRefs struct {
		id, mapping, address uint64
		line, end            int32 // lines[line:end]
	}

	lineRefs struct{ function, line, column uint64 }

	functionRefs struct{ id, name, systemName, file uint64 }
)

// Numbers of the last fields of messages that have only numbers besides what is read of them.
const (
	lastOfMapping  = 10
	lastOfLocation = 5
	lastOfFunction = 5
)

// appendLabelRefs appends the four numbers of a label.
func appendLabelRefs(to []byte, label *field) ([]byte, error) {
	message, err := label.message()
	if err != nil {
		return nil, err
	}
	var l labelRefs
	f := fieldsOf(message)
	for f.next() {
		switch f.number {
		case labelKey:
			f.set(&l.key)
		case labelStr:
			f.set(&l.str)
		case labelNum:
			f.set(&l.num)
		case labelUnit:
			f.set(&l.unit)
		}
	}
	for _, n := range [...]uint64{l.key, l.str, l.num, l.unit} {
		to = protowire.AppendVarint(to, n)
	}
	return to, f.err
}

// labelRefs is a label: a string if str is not 0, else a number if there is a number or a unit.
type labelRefs struct{ key, str, num, unit uint64 }

// takeLabelRefs returns the first label of what appendLabelRefs has made, and the rest of it.
func takeLabelRefs(labels []byte) (l labelRefs, rest []byte) {
	for _, to := range [...]*uint64{&l.key, &l.str, &l.num, &l.unit} {
		x, n := protowire.ConsumeVarint(labels)
		*to, labels = x, labels[n:]
	}
	return l, labels
}

func (to *mappingRefs) read(message []byte) error {
	f := fieldsOf(message)
	for f.next() {
		switch f.number {
		case mappingID:
			f.set(&to.id)
		case mappingFile:
			f.set(&to.file)
		case mappingBuildID:
			f.set(&to.buildID)
		default:
			f.ignore(lastOfMapping)
		}
	}
	return f.err
}

func (to *lineRefs) read(message []byte) error {
	f := fieldsOf(message)
	for f.next() {
		switch f.number {
		case lineFunction:
			f.set(&to.function)
		case lineNumber:
			f.set(&to.line)
		case lineColumn:
			f.set(&to.column)
		}
	}
	return f.err
}

func (to *functionRefs) read(message []byte) error {
	f := fieldsOf(message)
	for f.next() {
		switch f.number {
		case functionID:
			f.set(&to.id)
		case functionName:
			f.set(&to.name)
		case functionSystemName:
			f.set(&to.systemName)
		case functionFile:
			f.set(&to.file)
		default:
			f.ignore(lastOfFunction)
		}
	}
	return f.err
}

func (v *valueType) read(message []byte) error {
	f := fieldsOf(message)
	for f.next() {
		switch f.number {
		case valueTypeType:
			f.set(&v.name)
		case valueTypeUnit:
			f.set(&v.unit)
		}
	}
	return f.err
}

// readEntry reads an embedded message, and adds it to a table.
func readEntry[T any](to *[]T, f *field, read func(*T, []byte) error) error {
	var entry T
	message, err := f.message()
	if err == nil {
		err = read(&entry, message)
	}
	if err != nil {
		return err
	}
	return addEntry(to, entry)
}

func addEntry[T any](to *[]T, entry T) error {
	if len(*to) >= maxEntries {
		return fmt.Errorf("a table of more than %d entries", maxEntries)
	}
	*to = append(*to, entry)
	return nil
}
