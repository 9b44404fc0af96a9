package main

import (
	"os"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// TestPrograms runs a program of this process that uses no map, beside a map of maps with one in it.
func TestPrograms(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to load BPF programs")
	}
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		t.Fatal(err)
	}
	defer stats.Close()
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.SocketFilter, License: "MIT",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}})
	if err != nil {
		t.Fatal(err)
	}
	p := programs{os.Getpid(), map[uint32]*ebpf.Program{}}
	defer p.close()
	if _, err := p.read(); err != nil || len(p.open) != 1 {
		t.Fatalf("%d programs, error %v; want 1", len(p.open), err)
	}
	for range 10 {
		if _, _, err := program.Test(make([]byte, 64)); err != nil {
			t.Fatal(err)
		}
	}
	program.Close() // it counts all the same
	if sum, err := p.read(); err != nil || sum.all <= 0 || sum.samples != 0 {
		t.Errorf("run time %+v, error %v; want some, and none of sampling", sum, err)
	}
	checkMaps(t, &p)
}

func checkMaps(t *testing.T, p *programs) {
	t.Helper()
	inner := &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 1 << 16, MaxEntries: 16}
	in, err := ebpf.NewMap(inner)
	if err != nil {
		t.Fatal(err)
	}
	outer, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.ArrayOfMaps, KeySize: 4, MaxEntries: 4, InnerMap: inner,
		Contents: []ebpf.MapKV{{Key: uint32(1), Value: in}}})
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	in.Close() // now it is in the outer one only
	size, err := p.mapMemory()
	if err != nil || size < 1<<20 || size > 2<<20 {
		t.Errorf("maps of %d bytes, error %v; want that of 1 MiB", size, err)
	}
}
