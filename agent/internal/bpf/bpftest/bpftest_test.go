package bpftest

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/v8/target"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

const (
	stackAt = 0x10_0000_0000
	codeAt  = 0x20_0000_0000
)

// stackOf is a page with three frames of V8's, by hand: saved frame pointer and return address, and 0x10 for a type
// marker below them.
func stackOf() []byte {
	page := make([]byte, PageSize)
	for _, f := range []struct{ at, caller, ret uint64 }{
		{0x100, stackAt + 0x200, codeAt + 0x22}, {0x200, stackAt + 0x300, codeAt + 0x33}, {0x300, 0, 0},
	} {
		binary.LittleEndian.PutUint64(page[f.at-8:], 0x10)
		binary.LittleEndian.PutUint64(page[f.at:], f.caller)
		binary.LittleEndian.PutUint64(page[f.at+8:], f.ret)
	}
	return page
}

func input() Input {
	p := &bpf.Process{N_mappings: 1}
	p.Mappings[0] = bpf.Mapping{Start: codeAt, End: codeAt + 0x1000, Kind: bpf.MappingGenerated}
	in := Input{PID: 7, Process: p, Pages: []Page{{stackAt, stackOf()}}}
	in.Registers.IP = codeAt + 0x11
	in.Registers.General[target.RSP], in.Registers.General[target.RBP] = stackAt+0x80, stackAt+0x100
	return in
}

func frames(b []byte) (pcs []uint64, stop uint8) {
	s := (*bpf.Sample)(unsafe.Pointer(&b[0]))
	for i := range int(s.N_frames) {
		f := (*bpf.Frame)(unsafe.Pointer(&b[unsafe.Sizeof(*s)+uintptr(i)*unsafe.Sizeof(bpf.Frame{})]))
		pcs = append(pcs, f.Pc)
	}
	return pcs, s.Stop
}

func TestRun(t *testing.T) {
	p := Load(t)
	out, err := p.Run(input())
	if err != nil {
		t.Fatal(err)
	}
	pcs, stop := frames(out.Record)
	want := []uint64{codeAt + 0x11, codeAt + 0x22, codeAt + 0x33}
	if diff := cmp.Diff(want, pcs); diff != "" || stop != bpf.StopBadPC {
		t.Errorf("%s, stop %d", diff, stop)
	}
	if !slices.Contains(out.Reads, Read{stackAt + 0x100 - 40, 2048}) || out.NReads != len(out.Reads) {
		t.Errorf("%d reads: %x", out.NReads, out.Reads)
	}
}

// Without its page the stack cannot be read, also after a run that had it.
func TestRunWithoutMemory(t *testing.T) {
	p := Load(t)
	in := input()
	if _, err := p.Run(in); err != nil {
		t.Fatal(err)
	}
	in.Pages = nil
	out, err := p.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	if pcs, stop := frames(out.Record); len(pcs) != 1 || stop != bpf.StopUnreadable {
		t.Errorf("%x, stop %d", pcs, stop)
	}
}

func TestRunRefuses(t *testing.T) {
	p := Load(t)
	if _, err := p.Run(Input{PID: 8}); err == nil {
		t.Error("a process that was not set")
	}
	own, err := unix.Mmap(-1, 0, PageSize, unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	in := input()
	in.Pages = append(in.Pages, Page{uint64(uintptr(unsafe.Pointer(&own[0]))), make([]byte, PageSize)})
	if _, err := p.Run(in); err == nil {
		t.Error("a page over the process's own memory")
	}
	in.Pages[1] = Page{stackAt + 0x1000, make([]byte, 100)}
	if _, err := p.Run(in); err == nil {
		t.Error("a part of a page")
	}
	in.Pages = in.Pages[:1]
	if _, err := p.Run(in); err != nil {
		t.Errorf("what was refused left something behind: %v", err)
	}
}
