package verify

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// sizes is a table of six bytecodes: four prefixes, one without operands, one with one operand.
var sizes = slices.Concat([]byte{1, 1, 1, 1, 1, 2}, []byte{1, 1, 1, 1, 1, 3}, []byte{1, 1, 1, 1, 1, 5})

func TestBytecodeStarts(t *testing.T) {
	for _, c := range []struct {
		code []byte
		want []int // nil: an error
	}{
		{[]byte{4, 5, 9, 4}, []int{0, 1, 3}},
		{[]byte{0, 5, 9, 9, 4}, []int{0, 4}},       // Wide
		{[]byte{1, 5, 9, 9, 9, 9, 4}, []int{0, 6}}, // ExtraWide
		{[]byte{2, 5, 9, 9, 4}, []int{0, 4}},       // DebugBreakWide
		{[]byte{3, 5, 9, 9, 9, 9, 4}, []int{0, 6}}, // DebugBreakExtraWide
		{[]byte{4, 5}, nil},
		{[]byte{6}, nil},
		{[]byte{0}, nil},
		{[]byte{}, []int{}},
	} {
		starts, err := bytecodeStarts(c.code, sizes)
		var got []int
		if err == nil {
			got = append([]int{}, slices.Sorted(maps.Keys(starts))...)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: %v (-want +got):\n%s", c.code, err, diff)
		}
	}
}

func FuzzBytecodeStarts(f *testing.F) {
	f.Add([]byte{4, 5, 9, 4}, sizes)
	f.Add([]byte{0}, []byte{})
	f.Fuzz(func(t *testing.T, code, sizes []byte) {
		starts, err := bytecodeStarts(code, sizes)
		for at := range starts {
			if at < 0 || at >= len(code) {
				t.Fatalf("bytecode at %d of %d bytes (%v)", at, len(code), err)
			}
		}
	})
}

// repeated is memory that holds the same bytes everywhere.
type repeated []byte

func (m repeated) ReadAt(p []byte, at int64) (int, error) {
	for i := range p {
		p[i] = m[uint64(at+int64(i))%uint64(len(m))]
	}
	return len(p), nil
}

// FuzzComparisons: whatever a process has in its memory, a comparison ends and does not panic.
func FuzzComparisons(f *testing.F) {
	l := &layout.Layout{BytecodeSizes: sizes}
	for field := range layout.NumFields {
		l.Values[field] = layout.Value{N: int64(field) % 7 * 8, State: layout.Known}
	}
	f.Add([]byte("\x01\x20\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x03\x20\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x00\x00\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		i := &isolate{r: heap.NewReader(repeated(b), l), l: l, at: 0x10000}
		for _, c := range comparisons {
			c.run(i)
		}
	})
}
