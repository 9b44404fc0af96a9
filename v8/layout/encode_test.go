package layout_test

import (
	"os"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/v8/layout"
)

// A layout is the same after it was written and read, and what is cut off is refused.
func TestEncoded(t *testing.T) {
	for _, n := range nodes.Versions() {
		path, err := nodes.Path(n.Version)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		want, err := layout.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		b, err := want.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var got layout.Layout
		if err := got.UnmarshalBinary(b); err != nil || !reflect.DeepEqual(&got, want) {
			t.Errorf("%s: %v %s", n.Version, err, cmp.Diff(want, &got))
		}
		for size := range b {
			if size%7 == 0 && new(layout.Layout).UnmarshalBinary(b[:size]) == nil {
				t.Fatalf("%s: %d of %d bytes are enough", n.Version, size, len(b))
			}
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	b, _ := new(layout.Layout).AppendBinary(nil)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var l layout.Layout
		if l.UnmarshalBinary(b) == nil {
			if again, _ := l.AppendBinary(nil); len(again) > len(b)+16 {
				t.Errorf("%d bytes from %d", len(again), len(b))
			}
		}
	})
}
