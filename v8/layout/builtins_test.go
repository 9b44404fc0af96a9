package layout

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
)

// namedBySymbols returns the addresses of the builtins by their names, as .symtab has them.
func namedBySymbols(t *testing.T, r io.ReaderAt) map[string]uint64 {
	t.Helper()
	f, err := elf.NewFile(r)
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]uint64{}
	for _, s := range all {
		if name, ok := strings.CutPrefix(s.Name, "Builtins_"); ok {
			named[name] = s.Value
		}
	}
	return named
}

// TestBuiltins: V8's tables name all builtins as the symbols of official releases do, also where these are gone, and
// where no function tells where the tables are.
func TestBuiltins(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			_, f := readNode(t, v.Version)
			compareBuiltins(t, Builtins(f), namedBySymbols(t, f))
			compareBuiltins(t, Builtins(stripped(t, f)), namedBySymbols(t, f))
		})
	}
}

func compareBuiltins(t *testing.T, all []Builtin, want map[string]uint64) {
	t.Helper()
	end := uint64(0)
	for _, b := range all {
		if want[b.Name] != b.Start || b.Start < end || b.Size == 0 {
			t.Errorf("%s of %d bytes at %#x behind %#x, the symbols say %#x", b.Name, b.Size, b.Start, end,
				want[b.Name])
		}
		end = b.Start + uint64(b.Size)
		delete(want, b.Name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

// withBuiltins is a file with tables of two builtins, found by symbols.
func withBuiltins() []byte {
	const names, first, second = fakeBase + 64 + 56 + 1, 0x20, 0x1f
	text := firstBuiltins[1] + "\x00" + aBuiltin + "\x00\x00\x00\x00\x00"
	row := func(name uint64) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, name), make([]byte, 16)...)
	}
	head, record := make([]byte, headStep), make([]byte, minRecord)
	binary.LittleEndian.PutUint32(record[4:], first)
	records := join(append(head, record...), uint32(first), uint32(second), make([]byte, minRecord))
	k := fake{machine: elf.EM_X86_64, rodata: text, syms: map[string][]byte{
		symBlob: make([]byte, first+second), symBlobSize: join(nil, uint32(first+second)),
		symBlobTable: records, symBlobTableSize: join(nil, uint32(len(records))),
	}}
	k.rodata += string(row(names)) + string(row(names+uint64(len(firstBuiltins[1]))+1))
	return k.build()
}

// TestFewBuiltins: a table of two has as many places, and no other.
func TestFewBuiltins(t *testing.T) {
	all := Builtins(bytes.NewReader(withBuiltins()))
	if len(all) != 2 || all[0].Name != firstBuiltins[1] || all[1].Name != aBuiltin ||
		all[1].Start-all[0].Start != 0x20 {
		t.Errorf("%+v", all)
	}
}

// FuzzBuiltins: whatever a file says of its builtins, they are in order and apart.
func FuzzBuiltins(f *testing.F) {
	f.Add(withBuiltins())
	f.Fuzz(func(t *testing.T, b []byte) {
		end := uint64(0)
		for _, b := range Builtins(bytes.NewReader(b)) {
			if b.Start < end || b.Name == "" {
				t.Fatalf("%+v behind %#x", b, end)
			}
			end = b.Start + uint64(b.Size)
		}
	})
}
