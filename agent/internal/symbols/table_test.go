package symbols

import (
	"bytes"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
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
