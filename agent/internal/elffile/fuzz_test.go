package elffile

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// vdso is the shared object that the kernel maps into this process: a small file with all that is parsed of one.
func vdso(f *testing.F) []byte {
	f.Helper()
	maps, err := procs.Maps(os.Getpid())
	if err != nil {
		f.Fatal(err)
	}
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		f.Fatal(err)
	}
	defer mem.Close()
	for _, m := range maps {
		if m.Path != "[vdso]" {
			continue
		}
		b, err := io.ReadAll(io.NewSectionReader(mem, int64(m.Start), int64(m.End-m.Start)))
		if err != nil {
			f.Fatal(err)
		}
		return b
	}
	f.Fatal("this process has no [vdso]")
	return nil
}

// FuzzParse: whatever file a process runs, with a debug file that is as strange, what is parsed of it can be used.
func FuzzParse(f *testing.F) {
	image := vdso(f)
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
