package inspect

import (
	"testing"

	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// repeated is memory that holds the same bytes everywhere.
type repeated []byte

func (m repeated) ReadAt(p []byte, at int64) (int, error) {
	for i := range p {
		p[i] = m[uint64(at+int64(i))%uint64(len(m))]
	}
	return len(p), nil
}

// FuzzStore: whatever a process has in its memory, reading a store ends and does not panic.
func FuzzStore(f *testing.F) {
	l := &layout.Layout{}
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
		r := heap.NewReader(repeated(b), l)
		p := &StoreReader{r: r, l: l, examples: true, labels: newLabelReader(r, reqctx.AllKinds.Rules(nil))}
		p.store(heap.Entry{Key: 0x2001, Value: 0x3001})
	})
}
