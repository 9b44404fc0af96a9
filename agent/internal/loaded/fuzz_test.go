package loaded

import (
	"bytes"
	"debug/elf"
	"testing"

	"github.com/hotspan/hotspan/test/vdso"
)

// FuzzOpen: whatever a process has in memory and says of it, the sections and segments of what is made of it are of
// that memory or made up.
func FuzzOpen(f *testing.F) {
	image := vdso.Image(f)
	f.Add(image, uint64(0x1000), uint64(0x2000))
	f.Add(image, uint64(0), uint64(len(image)))
	f.Fuzz(func(t *testing.T, image []byte, at, split uint64) {
		at, split = at<<12>>16, min(split, uint64(len(image)))
		mem, maps := one(at, image)
		rest := maps[0] // one that is mapped, too
		rest.Start, rest.Offset = at+split, split
		file, err := Open(mem, append(maps, rest), maps[0].File())
		if err != nil {
			return
		}
		ef, err := elf.NewFile(file)
		if err != nil {
			return // the headers of segments are in none
		}
		for _, s := range ef.Sections {
			if s.Addr == 0 || s.Offset < headerSize || s.Size > uint64(len(image)) {
				continue // it is made up, or has the header, or more than can be read
			}
			if data, err := s.Data(); err == nil && !bytes.Contains(image, data) {
				t.Errorf("%s is not of the image", s.Name)
			}
		}
		for _, p := range ef.Progs {
			data := make([]byte, min(p.Filesz, 1<<16))
			if n, err := p.ReadAt(data, 0); err == nil && p.Off >= headerSize && !bytes.Contains(image, data[:n]) {
				t.Errorf("a segment at %#x is not of the image", p.Off)
			}
		}
	})
}
