package store

import (
	"io/fs"
	"math"
	"testing"
	"testing/fstest"
)

// FuzzParse: of whatever lies in the directory, only what name returns is a snapshot; an incomplete file is none.
func FuzzParse(f *testing.F) {
	f.Add(Entry{Sequence: 1, Start: 2, End: 3}.name())
	f.Add(Entry{Sequence: math.MaxUint64, Start: math.MaxInt64, End: math.MaxInt64}.name())
	f.Add("." + Entry{Sequence: 7}.name() + "123")
	f.Add("." + cursorPrefix + "otlp-1")
	f.Add("18446744073709551616-1-1.otlp")
	f.Add("0000000000001-1-1.otlp")
	f.Fuzz(func(t *testing.T, name string) {
		info, err := fs.Stat(fstest.MapFS{name: {Data: []byte("12345")}}, name)
		if err != nil || info.Name() != name {
			return // no name of a file, or a path
		}
		e, ok := Parse(fs.FileInfoToDirEntry(info))
		if !ok {
			return
		}
		if e.name() != name || e.Sequence == 0 || e.Start < 0 || e.End < 0 || e.Size != 5 || isTemporary(name) {
			t.Errorf("%q: %+v, temporary %t", name, e, isTemporary(name))
		}
	})
}
