package unwind

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"strings"
	"testing"
)

// mapping is a line of /proc/PID/maps.
type mapping struct {
	start, end, offset uint64
	executable         bool
	path               string
}

func mappings(t testing.TB, pid int) []mapping {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	var all []mapping
	for line := range strings.Lines(string(text)) {
		var m mapping
		var flags, device, inode string
		fmt.Sscanf(line, "%x-%x %s %x %s %s %s", &m.start, &m.end, &flags, &m.offset, &device, &inode, &m.path)
		m.executable = strings.Contains(flags, "x")
		all = append(all, m)
	}
	return all
}

// read returns the memory of a mapping.
func read(t testing.TB, pid int, m mapping) []byte {
	t.Helper()
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	data := make([]byte, m.end-m.start)
	if _, err := mem.ReadAt(data, int64(m.start)); err != nil {
		t.Fatal(err)
	}
	return data
}

// process finds the rules for the addresses of a live process.
type process struct {
	t      *testing.T
	pid    int
	mem    *os.File
	maps   []mapping
	files  map[string]*elf.File
	tables map[string]*Table
}

func openProcess(t *testing.T, pid int) *process {
	t.Helper()
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mem.Close() })
	return &process{t, pid, mem, mappings(t, pid), map[string]*elf.File{}, map[string]*Table{}}
}

func (p *process) row(pc uint64) (Row, error) {
	for _, m := range p.maps {
		if pc < m.start || pc >= m.end {
			continue
		}
		if !m.executable {
			return Row{}, fmt.Errorf("%#x is in %s, which is not executable", pc, m.path)
		}
		f, table := p.file(m)
		row, ok := table.Lookup(fileAddress(f, pc-m.start+m.offset))
		if !ok {
			return row, fmt.Errorf("no rule for %#x in %s", pc, m.path)
		}
		return row, nil
	}
	return Row{}, fmt.Errorf("%#x is not mapped", pc)
}

func (p *process) file(m mapping) (*elf.File, *Table) {
	p.t.Helper()
	if f := p.files[m.path]; f != nil {
		return f, p.tables[m.path]
	}
	f, err := elf.Open(m.path)
	if m.path == "[vdso]" {
		f, err = elf.NewFile(bytes.NewReader(read(p.t, p.pid, m)))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	table, err := Build(f)
	if err != nil {
		p.t.Fatalf("%s: %v", m.path, err)
	}
	p.files[m.path], p.tables[m.path] = f, table
	return f, table
}

func fileAddress(f *elf.File, offset uint64) uint64 {
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_LOAD && prog.Flags&elf.PF_X != 0 && offset-prog.Off < prog.Filesz {
			return offset - prog.Off + prog.Vaddr
		}
	}
	return 0
}

// calls says whether the instruction before pc is a call: e8 with four bytes, or ff /2 with its addressing bytes.
func (p *process) calls(pc uint64) bool {
	var b [7]byte
	if _, err := p.mem.ReadAt(b[:], int64(pc)-7); err != nil {
		return false
	}
	if b[2] == 0xe8 {
		return true
	}
	for n := 2; n <= 7; n++ {
		if b[7-n] == 0xff && b[8-n]>>3&7 == 2 {
			return true
		}
	}
	return false
}
