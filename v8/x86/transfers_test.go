package x86

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/arch/x86/x86asm"
)

// tableAddress is where the code of the tests is.
const tableAddress = 0x7f0000001000

func TestTransfers(t *testing.T) {
	code := []byte{
		0x75, 0x02, // 0: jnz 4
		0xeb, 0x01, // 2: jmp 5
		0x90,                      // 4: nop
		0x0f, 0x84, 0xf5, 0, 0, 0, // 5: jz 0x100
		0xe8, 0, 0, 0, 0, // 11: call
		0x43, 0xff, 0x24, 0xca, // 16: jmp [r10+r9*8]
	}
	code = append(code, 0x0f, 0x1f, 0x40, 0) // 20: what aligns the table
	for _, target := range []uint64{4, 41} {
		code = binary.LittleEndian.AppendUint64(code, tableAddress+target)
	}
	code = append(code, 0xc2, 0x10, 0, 0xcc, 0xff, 0xe1) // 40: ret 16; int3; jmp rcx
	want := []Transfer{{0, 2, x86asm.JNE, 4}, {2, 4, x86asm.JMP, 5}, {5, 11, x86asm.JE, 0x100},
		{16, 40, x86asm.JMP, -1}, {40, 43, x86asm.RET, -1}, {43, 44, x86asm.INT, -1}, {44, 46, x86asm.JMP, -1}}
	got, err := Transfers(code, tableAddress)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	// Behind a jump by a table that is elsewhere, code goes on at once.
	got, err = Transfers(slices.Concat(code[16:20], code[40:]), tableAddress)
	if err != nil || len(got) != 4 || got[0].To != 4 {
		t.Errorf("%v: %+v", err, got)
	}
	if got, err := Transfers([]byte{0x75, 0x02, 0x0f}, tableAddress); err == nil {
		t.Errorf("cut off: %+v", got)
	}
}

func FuzzTransfers(f *testing.F) {
	f.Add([]byte{0x75, 0, 0x43, 0xff, 0x24, 0xca, 0x90, 0x90, 0, 0x10, 0, 0, 0, 0x7f, 0, 0, 0xc3}, uint64(tableAddress))
	f.Fuzz(func(t *testing.T, b []byte, address uint64) {
		got, _ := Transfers(b, address)
		last := 0
		for _, x := range got {
			if x.From < last || x.To <= x.From || x.To > len(b) {
				t.Fatalf("%+v behind %d, of %d bytes", x, last, len(b))
			}
			last = x.To
		}
	})
}
