package elffile

import (
	"bytes"
	"testing"

	"github.com/hotspan/hotspan/test/vdso"
)

// FuzzParse: whatever file a process runs, with a debug file that is as strange, what is parsed of it can be used.
func FuzzParse(f *testing.F) {
	image := vdso.Image(f)
	f.Add(image, image)
	f.Add(image[:64], []byte{})
	f.Fuzz(func(t *testing.T, file, debug []byte) {
		for _, c := range []*contents{parse(bytes.NewReader(file), nil),
			parse(bytes.NewReader(file), bytes.NewReader(debug)), parseLayout(bytes.NewReader(file), nil)} {
			for _, problem := range c.problems {
				if problem.err == nil || problem.err.Error() == "" {
					t.Errorf("%q: no error", problem.what)
				}
			}
			for _, s := range c.segments {
				c.segments.Address(s.Offset)
			}
			if c.symbols != nil {
				c.symbols.Lookup(0)
			}
		}
	})
}
