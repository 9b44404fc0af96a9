package unwind

import (
	"bytes"
	"debug/elf"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/flow"
)

func FuzzBuild(f *testing.F) {
	image := vdso(f)
	f.Add(image)
	f.Add(withoutSections(image))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			return
		}
		if table, err := Build(file); err == nil {
			sound(t, table, len(data))
		}
	})
}

// FuzzSection feeds .eh_frame contents alone, so that mutations reach the call frame programs.
func FuzzSection(f *testing.F) {
	image := vdso(f)
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		f.Fatal(err)
	}
	data, addr, err := ehFrame(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, addr)
	f.Fuzz(func(t *testing.T, data []byte, addr uint64) {
		if addr == 0 || addr >= maxAddress || follow(data) != nil {
			return
		}
		if table, err := build(new(elf.File), data, addr, []flow.Span{{Start: 0, End: maxAddress}}); err == nil {
			sound(t, table, len(data))
		}
	})
}

// FuzzMachine runs call frame programs alone.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{cfaDefCFA, 7, 8, cfaOffset | 16, 1, cfaAdvanceLoc | 1, cfaRememberState, cfaAdvanceLoc4, 1, 0, 0, 0,
		cfaRestoreState})
	f.Add([]byte{cfaDefCFAExpr, 3, 0x77, 8, 6, cfaAdvanceLoc1, 9, cfaExpression, 6, 2, 0x76, 0})
	f.Fuzz(func(t *testing.T, program []byte) {
		const begin, end = 0x1000, 0x2000
		m := machine{code: 1, data: -8, initial: new(state)}
		last, calls := uint64(0), 0
		m.run(program, begin, end, func(pc uint64, s *state) {
			s.row()
			if calls++; pc <= last || pc < begin || pc >= end || calls > len(program)+1 {
				t.Fatalf("state %d at %#x, after %#x", calls, pc, last)
			}
			last = pc
		})
	})
}

// sound checks what holds of every table: rising addresses, an end, and no more rows than the file has bytes.
func sound(t *testing.T, table *Table, size int) {
	rows := table.Rows
	if len(rows) == 0 || len(rows) > size || rows[0].PC != 0 || rows[len(rows)-1].CFA != CFANone {
		t.Fatalf("%d rows from %d bytes, want the first at 0 and the last without rule", len(rows), size)
	}
	for i := 1; i < len(rows); i++ {
		if rows[i].PC <= rows[i-1].PC {
			t.Fatalf("row %d at %#x follows %#x", i, rows[i].PC, rows[i-1].PC)
		}
	}
	if _, ok := table.Lookup(table.Base - 1); ok {
		t.Fatal("a rule below the base")
	}
}
