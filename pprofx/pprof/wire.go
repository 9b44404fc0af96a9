package pprof

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of profile.proto (proto/profile.proto of github.com/google/pprof). The profile is written field by
// field, as it would not fit twice: the profile of a long recording has a million samples, and each profile.Sample of
// google/pprof three maps.
const (
	profileSampleType    protowire.Number = 1
	profileSample        protowire.Number = 2
	profileMapping       protowire.Number = 3
	profileLocation      protowire.Number = 4
	profileFunction      protowire.Number = 5
	profileString        protowire.Number = 6
	profileTime          protowire.Number = 9
	profileDuration      protowire.Number = 10
	profilePeriodType    protowire.Number = 11
	profilePeriod        protowire.Number = 12
	profileComment       protowire.Number = 13
	profileDefaultSample protowire.Number = 14
	profileDocURL        protowire.Number = 15

	valueTypeType protowire.Number = 1
	valueTypeUnit protowire.Number = 2

	sampleLocations protowire.Number = 1
	sampleValues    protowire.Number = 2
	sampleLabel     protowire.Number = 3

	labelKey  protowire.Number = 1
	labelStr  protowire.Number = 2
	labelNum  protowire.Number = 3
	labelUnit protowire.Number = 4

	mappingID           protowire.Number = 1
	mappingFile         protowire.Number = 5
	mappingBuildID      protowire.Number = 6
	mappingFunctions    protowire.Number = 7
	mappingFilenames    protowire.Number = 8
	mappingLineNumbers  protowire.Number = 9
	mappingInlineFrames protowire.Number = 10

	locationID      protowire.Number = 1
	locationMapping protowire.Number = 2
	locationAddress protowire.Number = 3
	locationLine    protowire.Number = 4

	lineFunction protowire.Number = 1
	lineNumber   protowire.Number = 2
	lineColumn   protowire.Number = 3

	functionID         protowire.Number = 1
	functionName       protowire.Number = 2
	functionSystemName protowire.Number = 3
	functionFile       protowire.Number = 4
)

// appendNumber appends a number, or nothing if it is 0.
func appendNumber(b []byte, field protowire.Number, n int64) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(n))
}

func appendBool(b []byte, field protowire.Number, is bool) []byte {
	if !is {
		return b
	}
	return appendNumber(b, field, 1)
}

// appendMessage appends an embedded message, or a packed list.
func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}
