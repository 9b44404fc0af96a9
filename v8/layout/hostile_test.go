package layout

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/cputime"
)

// versionTextsOf a V8 and a Node.js. The test itself has none.
var versionTextsOf = fmt.Sprintf("\x0013.6.233.17%snode.26\x00node.js%sv24.0.0 ", "-", "/")

// sparse is a file of a size that has bytes at its beginning, and zeros behind them.
type sparse struct {
	head []byte
	size int64
}

func (s sparse) ReadAt(b []byte, off int64) (int, error) {
	n := 0
	if off < int64(len(s.head)) {
		n = copy(b, s.head[off:])
	}
	rest := b[n:max(n, int(min(int64(len(b)), s.size-off)))]
	clear(rest)
	if n += len(rest); n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// segmented is a file without sections, with the contents in each of its segments.
func segmented(segments int, content []byte, size uint64) []byte {
	head := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64,
		Phentsize: 56, Phnum: uint16(segments), Ehsize: 64, Shentsize: 64}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	b := join(nil, head)
	for i := range segments {
		b = join(b, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X),
			Vaddr: fakeBase + uint64(i)<<36, Filesz: size, Memsz: size})
	}
	return append(b, content...)
}

// padded is a file with so many builtins that there are 32 bytes of each, and 64 MiB of the instruction int3, which
// could be what is between them, but for some bytes.
func padded(n int) []byte {
	content := []byte(versionTextsOf + "\x00\x00\x00\x00\x00")
	align := func() {
		for (120+len(content))%8 != 0 {
			content = append(content, 0)
		}
	}
	name := uint64(fakeBase + 120 + len(content))
	content = append(content, aBuiltin+"\x00"+firstBuiltins[1]+"\x00"...)
	align()
	for i := range n {
		at := name
		if i == 0 {
			at += uint64(len(aBuiltin)) + 1
		}
		content = append(binary.LittleEndian.AppendUint64(content, at), make([]byte, builtinSize-word)...)
	}
	content = append(content, bytes.Repeat([]byte{0xff}, 64)...)
	align()
	for i := range n {
		content = join(content, place{uint32(i * codeAlignment), 31 - uint32(i)%2})
	}
	content = append(content, bytes.Repeat([]byte{0xff}, blobPage-(120+len(content))%blobPage)...)
	code := bytes.Repeat([]byte{0xcc}, 64<<20)
	for i := 31*codeAlignment + 31; i < len(code); i += 256 << 10 {
		code[i] = 0
	}
	content = append(content, code...)
	return segmented(1, content, uint64(120+len(content)))
}

// relocated is a file whose functions read words, of which none is in 64 MiB of relocations.
func relocated() sparse {
	const size = 64 << 20
	k := fake{machine: elf.EM_X86_64, rodata: versionTextsOf, syms: map[string][]byte{}}
	for _, name := range append([]string{funcBlob, funcBlobSize, funcBlobTable, funcBlobTableSize}, currentIsolate...) {
		k.syms[name] = bytes.Repeat([]byte{0x48, 0x8b, 0x05, 0, 0, 1, 0}, 146) // mov 0x10000(%rip),%rax
	}
	b := k.build()
	headers := binary.LittleEndian.Uint64(b[40:])
	rela := elf.Section64{Type: uint32(elf.SHT_RELA), Off: uint64(len(b)) + 64, Size: size / relaSize * relaSize}
	b[60]++ // one section more, behind the others
	return sparse{join(b, rela), int64(headers) + size + 4096}
}

// TestSlowFiles: no file takes long. Any process can have it mapped.
func TestSlowFiles(t *testing.T) {
	const large = 512 << 20 // what is read of a file at most
	for name, r := range map[string]io.ReaderAt{
		"segments":    sparse{segmented(100, []byte(versionTextsOf), large), large},
		"headers":     sparse{segmented(65000, []byte(versionTextsOf), 4<<20), 4 << 20},
		"gaps":        bytes.NewReader(padded(16000)),
		"relocations": relocated(),
	} {
		before := cputime.Own()
		_, err := Read(r)
		Builtins(r)
		if d := cputime.Own() - before; d > 2*time.Second {
			t.Errorf("%s: it took %v (%v)", name, d, err)
		}
	}
}
