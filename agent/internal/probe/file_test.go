package probe

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/turn"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestTurn: files are read for probes one after the other, and no more of one than fits into memory.
func TestTurn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const size = 255 << 20
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first, err := newFile(f)
	if err != nil {
		t.Fatal(err)
	}
	first.begin()
	began := make(chan *file)
	go func() {
		second, err := newFile(f)
		if err != nil {
			t.Error(err)
		}
		second.begin()
		began <- second
	}()
	b := make([]byte, 1<<20)
	for n := 0; ; n++ {
		if _, err = first.ReadAt(b, int64(n%(size>>20))<<20); err != nil {
			if n != 512 {
				t.Errorf("%d MiB can be read", n)
			}
			break
		}
	}
	if !errors.Is(err, turn.ErrTooMuch) || !errors.Is(first.failed(), turn.ErrTooMuch) {
		t.Errorf("%v, failed: %v", err, first.failed())
	}
	select {
	case <-began:
		t.Error("another file is read at the same time")
	case <-time.After(100 * time.Millisecond):
	}
	first.end()
	second := <-began
	if _, err := second.ReadAt(b, 0); err != nil || second.failed() != nil {
		t.Errorf("%v, failed: %v", err, second.failed())
	}
	second.end()
}

// TestLongTables: a file whose symbols are too many is not read.
func TestLongTables(t *testing.T) {
	for _, c := range []struct {
		kind elf.SectionType
		size uint64
		ok   bool
	}{
		{elf.SHT_SYMTAB, maxTable, true}, {elf.SHT_SYMTAB, maxTable + 1, false}, {elf.SHT_DYNSYM, maxDynamic, true},
		{elf.SHT_DYNSYM, maxDynamic + 1, false}, {elf.SHT_STRTAB, 1 << 40, false}, {elf.SHT_PROGBITS, 1 << 40, true},
	} {
		h := elf.Header64{
			Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1},
			Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: 64, Shoff: 64, Shentsize: 64,
			Shnum: 3, Shstrndx: 1,
		}
		s := elf.Section64{Type: uint32(c.kind), Off: 300, Size: c.size}
		if c.kind == elf.SHT_DYNSYM {
			s.Flags = uint64(elf.SHF_ALLOC)
		}
		var b bytes.Buffer
		names := elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 63, Size: 1}
		for _, part := range []any{h, elf.Section64{}, names, s} {
			if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := open(bytes.NewReader(b.Bytes())); (err == nil) != c.ok ||
			err != nil && !strings.Contains(err.Error(), "more than") {
			t.Errorf("%v of %d bytes: %v", c.kind, c.size, err)
		}
	}
}

// TestAllSymbols: the symbols that are read one by one are those that debug/elf reads at once.
func TestAllSymbols(t *testing.T) {
	f, err := elf.Open(live.Binary(t, "24.21.0"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mangled, err1 := f.Symbols()
	dynamic, err2 := f.DynamicSymbols()
	if err := errors.Join(err1, err2); err != nil || len(mangled) < 1000 {
		t.Fatal(err, len(mangled))
	}
	want := slices.Concat(mangled, dynamic)
	n := 0
	for s := range allSymbols(f) {
		if n == 0 && s == (elf.Symbol{}) {
			continue // the first of a table is none
		}
		if n >= len(want) || s != want[n] {
			t.Fatalf("symbol %d is %+v", n, s)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d symbols, want %d", n, len(want))
	}
}
