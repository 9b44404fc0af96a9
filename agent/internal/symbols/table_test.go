package symbols

import (
	"bytes"
	"debug/elf"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestLookupKept: what a lookup has found holds for other addresses too. Each address of random tables, whose symbols
// lie in each other and apart, has the symbol that comparing it with all gives, whatever was asked for before.
func TestLookupKept(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0))
		const n, span = 4 * perBlock, 4096
		names := &strings.Builder{}
		names.WriteByte(0)
		all := map[uint64]elf.Sym64{}
		for i := range n {
			start := random.Uint64N(span)
			all[start] = elf.Sym64{Name: uint32(names.Len()), Info: global | function, Shndx: 1, Value: 0x1000 + start,
				Size: 1 + random.Uint64N(1<<random.IntN(8))}
			fmt.Fprintf(names, "s%d\x00", i)
		}
		var symbols []elf.Sym64
		for start := range uint64(span) {
			if s, ok := all[start]; ok {
				symbols = append(symbols, s)
			}
		}
		table, err := Open(bytes.NewReader(image(symbols, names.String())))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range random.Perm(span + 64) {
			addr, want, left := 0x1000+uint64(at), uint64(0), maxNested
			for i := len(symbols) - 1; i >= 0 && left > 0 && want == 0; i-- {
				if s := symbols[i]; s.Value <= addr {
					left--
					if addr < s.Value+s.Size {
						want = s.Value
					}
				}
			}
			if got, ok := table.Lookup(addr); got.Start != want || ok != (want != 0) {
				t.Fatalf("seed %d: %#x is %+v, %v, want the symbol at %#x", seed, addr, got, ok, want)
			}
		}
	}
}

// TestPack: a table has the same symbols before Pack, which gives up the file, and afterwards.
func TestPack(t *testing.T) {
	for _, path := range []string{live.Binary(t, "24.21.0"), live.Libc(t)} {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		table, err := OpenWith(readerAt{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		listed, n := entries(table), table.Len()
		if table.Encoded() != nil || n != len(listed) {
			t.Errorf("%s: %d symbols, want %d", path, n, len(listed))
		}
		if err := table.Pack(); err != nil || table.Encoded() == nil {
			t.Fatal(path, err)
		}
		clear(file)
		if got := entries(table); !equalEntries(listed, got) {
			t.Errorf("%s: %d other symbols, were %d", path, len(got), len(listed))
		}
	}
}

// readerAt is a file in memory, of which it hands out parts.
type readerAt struct{ file []byte }

func (r readerAt) ReadAt(b []byte, off int64) (int, error) {
	return bytes.NewReader(r.file).ReadAt(b, off)
}

func (r readerAt) Bytes(off, n int64) ([]byte, error) { return r.file[off : off+n], nil }

// TestPackTooLong: a table whose names are too long to be packed names nothing then.
func TestPackTooLong(t *testing.T) {
	name := strings.Repeat("x", maxName-8)
	names := &strings.Builder{}
	names.WriteByte(0)
	var symbols []elf.Sym64
	for i := range maxEncoded / maxName * 2 {
		symbols = append(symbols, elf.Sym64{Name: uint32(names.Len()), Info: global | function, Shndx: 1,
			Value: 0x1000 + uint64(i), Size: 1})
		fmt.Fprintf(names, "%08x%s\x00", bits.Reverse32(uint32(i)), name)
	}
	table, err := OpenWith(bytes.NewReader(image(symbols, names.String())), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := table.Lookup(0x1000); !ok {
		t.Error("no symbol before Pack")
	}
	if err := table.Pack(); err == nil {
		t.Error("no error")
	}
	if s, ok := table.Lookup(0x1001); ok || table.Len() != 0 {
		t.Errorf("%v is found", s)
	}
	if _, err := Open(bytes.NewReader(image(symbols, names.String()))); err == nil {
		t.Error("no error of Open")
	}
}

// TestLookupReadsOnce: the addresses of a function take one reading of the table.
func TestLookupReadsOnce(t *testing.T) {
	table, err := Open(bytes.NewReader(small()))
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{file: bytes.NewReader(table.Encoded())}
	table.Move(c)
	table.Lookup(0x1300)
	once := c.bytes
	for addr := uint64(0x1301); addr < 0x1400; addr++ {
		table.Lookup(addr)
	}
	if once == 0 || c.bytes != once {
		t.Errorf("%d bytes were read for one address of a function, %d for all", once, c.bytes)
	}
}
