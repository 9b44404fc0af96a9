package layout

import (
	"debug/elf"
	"io"
	"testing"
)

// watched counts the bytes that are read of a range of a file.
type watched struct {
	io.ReaderAt
	from, to int64
	read     int64
}

func (w *watched) ReadAt(b []byte, off int64) (int, error) {
	w.read += max(0, min(off+int64(len(b)), w.to)-max(off, w.from))
	return w.ReaderAt.ReadAt(b, off)
}

// TestVersionsWithoutSections: where no section says which bytes are constants, the versions are found without reading
// the code, which is not in memory as a whole.
func TestVersionsWithoutSections(t *testing.T) {
	whole, r := readNode(t, "24.21.0")
	file, err := elf.NewFile(r)
	if err != nil {
		t.Fatal(err)
	}
	text := file.Section(".text")
	headerless := patched{patched{r, 40, make([]byte, 8)}, 58, make([]byte, 6)} // e_shoff; e_shentsize to e_shstrndx
	w := &watched{ReaderAt: headerless, from: int64(text.Offset), to: int64(text.Offset + text.Size)}
	im, err := openImage(w)
	if err != nil || len(im.elf.Sections) > 0 {
		t.Fatal(err, im)
	}
	v8, node := im.scanVersions()
	if v8 != whole.V8 || node != whole.Node || w.read > 0 {
		t.Errorf("V8 %v, Node %s, %d bytes of code read", v8, node, w.read)
	}
}
